// TREASURY_WALLETS: the operator's own wallets, to which money leaves deposit addresses as a sweep. At most one per
// network. A transfer to any other address is unexplained (lib/ledger/reconciliation/outflows).

import { DRAFT_FAMILIES } from './families/drafts';
import { FAMILIES } from './families/family';
import { NETWORKS, tokenOf, type NetworkSpec } from './networks';

/** A network with the treasury's address, as the database stores addresses. */
export type TreasuryWallet = { readonly spec: NetworkSpec; readonly address: string };

/**
 * Parses a setting such as `ethereum@mainnet=0x…,tron@mainnet=T…`. Throws an Error for an unknown network, two wallets
 * of one network, or an address that cannot hold the network's tokens.
 */
export function treasuryWallets(
  entries: readonly string[],
  table: readonly NetworkSpec[] = NETWORKS,
): readonly TreasuryWallet[] {
  const wallets = entries.map((entry) => walletOf(entry, table));
  if (new Set(wallets.map(({ spec }) => spec)).size !== wallets.length)
    throw new Error('TREASURY_WALLETS names two wallets of one network');
  return wallets;
}

function walletOf(entry: string, table: readonly NetworkSpec[]): TreasuryWallet {
  const [name = '', given = '', ...others] = entry.split('=');
  const spec = table.find((row) => `${row.network}@${row.chain}` === name);
  if (!spec || others.length > 0)
    throw new Error(`TREASURY_WALLETS needs entries like ethereum@mainnet=0x…, and has "${entry}"`);
  const address = FAMILIES[spec.family].storedAddress(given);
  if (!DRAFT_FAMILIES[spec.family].isPayable(address) || tokenOf(spec, address) !== null)
    throw new Error(`TREASURY_WALLETS: "${given}" is not a wallet's address on ${name}`);
  return { spec, address };
}
