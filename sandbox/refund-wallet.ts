// The refund wallet that the local chains are to fund, as the signer tells it.

import { SignerClient } from '@/lib/signer/client';
import type { RefundWallet } from './chains/local-network';

/** Asks the signer. Throws AddressSourceError when it does not answer. */
export async function readRefundWallet(socketPath: string): Promise<RefundWallet> {
  const { wallets, nextNonces } = await new SignerClient(socketPath).state();
  const local = Object.entries(nextNonces).flatMap(([chain, nonce]): [string, number][] =>
    chain.endsWith('@local') ? [[chain.slice(0, -'@local'.length), nonce]] : [],
  );
  return { ...wallets.test, nextNonces: Object.fromEntries(local) };
}
