// The refund wallet that the local chains fund, as the signer reports it.

import { SignerClient } from '@/lib/signer/client';
import type { RefundWallet } from './chains/local-network';

/** Requests it from the signer. Throws AddressSourceError when the signer does not respond. */
export async function readRefundWallet(socketPath: string): Promise<RefundWallet> {
  const { wallets, nextNonces } = await new SignerClient(socketPath).state();
  const local = Object.entries(nextNonces).flatMap(([chain, nonce]): [string, number][] =>
    chain.endsWith('@local') ? [[chain.slice(0, -'@local'.length), nonce]] : [],
  );
  return { ...wallets.test, nextNonces: Object.fromEntries(local) };
}
