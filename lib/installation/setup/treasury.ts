// The part of a set-up that says where the money goes: a wallet of the operator's own for each network. Pure.

import { z } from 'zod';
import { NETWORKS } from '@/lib/networks/networks';
import { readRecipient } from '@/lib/networks/recipients/recipient';
import { LIVE_NETWORKS } from './live-networks';

const NO_WALLET = 'must be the address of a wallet on this network, with every letter as the wallet shows it';

/** Addresses by network. */
export const treasury = z
  .partialRecord(z.enum(LIVE_NETWORKS), z.string(), 'must name networks of this version')
  .check(({ value, issues }) => {
    for (const [network, address] of Object.entries(value)) {
      if (address !== undefined && storedAddress(network, address) === null)
        issues.push({ code: 'custom', path: [network], message: NO_WALLET, input: undefined });
    }
  });
type Settings = Readonly<Record<string, string>>;
export type TreasuryGiven = Readonly<Partial<Record<string, string>>>;

/** The address in its stored form; null if it is not one that somebody can have the key of. */
function storedAddress(network: string, address: string): string | null {
  const spec = NETWORKS.find((row) => row.network === network && row.chain === 'mainnet');
  const read = spec && readRecipient(spec, address);
  return read && 'address' in read ? read.address : null;
}

/** The same wallets for the service, which books what they get, and for the signer, which sends it. Empty without any. */
export function treasurySettings(wallets: z.output<typeof treasury>): Settings {
  const entries = Object.entries(wallets).flatMap(([network, address = '']) => {
    const stored = storedAddress(network, address);
    return stored === null ? [] : entryOf(network, stored);
  });
  if (entries.length === 0) return {};
  const text = entries.join(' ');
  return { TREASURY_WALLETS: text, SIGNER_TREASURY_WALLETS: text };
}

/** The wallet of a network in the settings; null without one. */
export const treasuryOf = ({ TREASURY_WALLETS: text = '' }: Settings, network: string): string | null =>
  text
    .split(' ')
    .find((entry) => entry.startsWith(entryOf(network, '')))
    ?.split('=')[1] ?? null;

const entryOf = (network: string, address: string): string => `${network}@mainnet=${address}`;
