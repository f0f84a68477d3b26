// The part of a set-up that says where the money goes: a wallet of the operator's own for each network. Pure.

import { z } from 'zod';
import { NETWORKS } from '@/lib/networks/networks';
import { REFUND_WALLET_NAME } from '@/lib/networks/refund-wallet-name';
import { readRecipient } from '@/lib/networks/recipients/recipient';
import { LIVE_NETWORKS } from './live-networks';

const NO_WALLET = 'must be the address of a wallet on this network, with every letter as the wallet shows it';

type Settings = Readonly<Record<string, string>>;
export type TreasuryGiven = Readonly<Partial<Record<string, string>>>;

/** Addresses by network. The output is the entries of TREASURY_WALLETS. */
export const treasury = z
  .partialRecord(z.enum(LIVE_NETWORKS), z.string(), 'must name networks of this version')
  .transform((wallets, context) =>
    Object.entries(wallets).flatMap(([network, address = '']) => {
      const stored = storedAddress(network, address);
      if (stored !== null) return [entryOf(network, stored)];
      context.addIssue({ code: 'custom', path: [network], message: NO_WALLET });
      return [];
    }),
  );

/** The address as the database stores it, or the name of the refund wallet; null if no wallet can have it. */
function storedAddress(network: string, address: string): string | null {
  if (address === REFUND_WALLET_NAME) return address;
  const spec = NETWORKS.find((row) => row.network === network && row.chain === 'mainnet');
  const read = spec && readRecipient(spec, address);
  return read && 'address' in read ? read.address : null;
}

/** The names of the settings below. */
export const TREASURY_SETTINGS = ['TREASURY_WALLETS', 'SIGNER_TREASURY_WALLETS', 'DIRECT_SETTLEMENT'] as const;

/**
 * The same wallets for the service, which books what they get, and for the signer, which sends it. Empty without any. `isDirect`: they are
 * the wallets of the installation's only merchant.
 */
export function treasurySettings(entries: z.output<typeof treasury>, isDirect: boolean): Settings {
  if (entries.length === 0) return {};
  const text = entries.join(' ');
  const direct = isDirect ? { DIRECT_SETTLEMENT: 'on' } : {};
  return { TREASURY_WALLETS: text, SIGNER_TREASURY_WALLETS: text, ...direct };
}

/** The wallet of a network in the settings; null without one. */
export function treasuryOf({ TREASURY_WALLETS: text = '' }: Settings, network: string): string | null {
  const name = entryOf(network, '');
  const entry = text.split(' ').find((one) => one.startsWith(name));
  return entry?.slice(name.length) ?? null;
}

/** Whether an entry names the refund wallet. */
export const isRefundWallet = (entry: string): boolean => entry.endsWith(`=${REFUND_WALLET_NAME}`);

const entryOf = (network: string, address: string): string => `${network}@mainnet=${address}`;
