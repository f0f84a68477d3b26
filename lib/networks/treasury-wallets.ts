// TREASURY_WALLETS: the operator's own wallets, to which money leaves deposit addresses as a sweep. The first of a network
// is its treasury; others are former ones, to which sweeps may still be on their way. A transfer to any other address is
// unexplained (lib/ledger/reconciliation/outflows). The refund wallet may be the treasury too: by its address, or by a
// word that the signer's answer gives the address of.

import { DRAFT_FAMILIES } from './families/drafts';
import type { NetworkFamily } from './chain';
import { FAMILIES } from './families/family';
import { NETWORKS, tokenOf, type NetworkSpec } from './networks';
import { REFUND_WALLET_NAME } from './refund-wallet-name';

/** A network with the treasury's address, as the database stores addresses, or the name of the refund wallet. */
export type TreasuryWallet = { readonly spec: NetworkSpec; readonly address: string };

/** The refund wallets of the signer (SignerState.wallets). */
export type RefundWallets = Readonly<Record<NetworkSpec['environment'], Readonly<Record<NetworkFamily, string>>>>;

/** A treasury wallet with its address. */
export type ResolvedTreasury = TreasuryWallet & { readonly isRefundWallet: boolean };

/** The wallets with the signer's address in the place of the word. */
export const resolveTreasuries = (
  wallets: readonly TreasuryWallet[],
  refundWallets: RefundWallets,
): readonly ResolvedTreasury[] =>
  wallets.map(({ spec, address }) => {
    const own = FAMILIES[spec.family].storedAddress(refundWallets[spec.environment][spec.family]);
    const resolved = address === REFUND_WALLET_NAME ? own : address;
    return { spec, address: resolved, isRefundWallet: resolved === own };
  });

/**
 * Parses a setting such as `ethereum@mainnet=0x…,tron@mainnet=refund-wallet`. Throws an Error for an unknown network, a wallet that
 * is named twice, or an address that cannot hold the network's tokens.
 */
export function treasuryWallets(
  entries: readonly string[],
  table: readonly NetworkSpec[] = NETWORKS,
): readonly TreasuryWallet[] {
  const wallets = entries.map((entry) => walletOf(entry, table));
  const names = wallets.map(({ spec, address }) => `${spec.network}@${spec.chain}=${address}`);
  if (new Set(names).size !== wallets.length) throw new Error('TREASURY_WALLETS names one wallet twice');
  return wallets;
}

/** The treasury of each network, without former ones. */
export const presentTreasuries = (wallets: readonly TreasuryWallet[]): readonly TreasuryWallet[] =>
  wallets.filter(({ spec }, at) => wallets.findIndex((one) => one.spec === spec) === at);

function walletOf(entry: string, table: readonly NetworkSpec[]): TreasuryWallet {
  const [name = '', given = '', ...others] = entry.split('=');
  const spec = table.find((row) => `${row.network}@${row.chain}` === name);
  if (!spec || others.length > 0)
    throw new Error(`TREASURY_WALLETS needs entries like ethereum@mainnet=0x…, and has "${entry}"`);
  if (given === REFUND_WALLET_NAME) return { spec, address: given };
  const address = FAMILIES[spec.family].storedAddress(given);
  if (!DRAFT_FAMILIES[spec.family].isPayable(address) || tokenOf(spec, address) !== null)
    throw new Error(`TREASURY_WALLETS: "${given}" is not a wallet's address on ${name}`);
  return { spec, address };
}
