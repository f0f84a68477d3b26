// The part of a set-up that says where the money goes: a wallet of the operator's own for each network. Pure.

import { getAddress } from 'ethers/address';
import { z } from 'zod';
import { NETWORKS } from '@/lib/networks/networks';
import { treasuryWallets } from '@/lib/networks/treasury-wallets';
import { LIVE_NETWORKS } from './live-networks';

const NO_WALLET = 'must be the address of a wallet on this network, with every letter as the wallet shows it';

/** Addresses by network. */
export const treasury = z
  .partialRecord(z.enum(LIVE_NETWORKS), z.string(), 'must name networks of this version')
  .check(({ value, issues }) => {
    for (const [network, address] of Object.entries(value)) {
      if (address !== undefined && !isWallet(network, address))
        issues.push({ code: 'custom', path: [network], message: NO_WALLET, input: undefined });
    }
  });
type Settings = Readonly<Record<string, string>>;
export type TreasuryGiven = Readonly<Partial<Record<string, string>>>;

/** Whether both the service and the signer take it. The signer also compares the checksum of an address with capital letters. */
function isWallet(network: string, address: string): boolean {
  // Such a character would begin another entry of the setting, or end its line.
  if (!/^[0-9A-Za-z]+$/.test(address)) return false;
  const family = NETWORKS.find((row) => row.network === network && row.chain === 'mainnet')?.family;
  try {
    treasuryWallets([entryOf(network, address)]);
    return family !== 'evm' || address === address.toLowerCase() || getAddress(address) === address;
  } catch {
    return false;
  }
}

/** The same wallets for the service, which books what they get, and for the signer, which sends it. Empty without any. */
export function treasurySettings(wallets: z.output<typeof treasury>): Settings {
  const entries = Object.entries(wallets).flatMap(([network, address]) => (address ? entryOf(network, address) : []));
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
