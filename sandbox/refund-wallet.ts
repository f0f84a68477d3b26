// The refund wallet and the sponsors of sweeps that the local chains fund, as the signer reports them.

import { SignerClient } from '@/lib/signer/client';
import type { RefundWallet } from './chains/local-network';

const LOCAL = '@local';

/** Requests them from the signer. Throws AddressSourceError when the signer does not respond. */
export async function readRefundWallet(socketPath: string): Promise<RefundWallet> {
  const { wallets, nextNonces, sweeps = [] } = await new SignerClient(socketPath).state();
  const sponsors = sweeps.map(({ network, active }) => [network, active] as const);
  return { ...wallets.test, nextNonces: locally(Object.entries(nextNonces)), sponsors: locally(sponsors) };
}

/** The entries of local chains, by network. */
const locally = <T>(entries: readonly (readonly [string, T])[]): Readonly<Record<string, T>> =>
  Object.fromEntries(
    entries.flatMap(([chain, value]) => (chain.endsWith(LOCAL) ? [[chain.slice(0, -LOCAL.length), value]] : [])),
  );
