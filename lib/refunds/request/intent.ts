// The name of a refund's payment, which follows from who asked for it and what they called it, and from nothing else: a
// database restored from a backup that has forgotten the refund gives it the same name when it is asked for again, and the
// signer then knows that it has signed it already.

import { sha256 } from '@/lib/platform/crypto';
import type { Environment } from '@/lib/platform/ids';

/** `re_` and 40 hexadecimal digits: the signer's intent, Refund.id. */
export function intentIdOf(refund: { storeId: string; environment: Environment; refundId: string }): string {
  const digest = sha256(JSON.stringify([refund.storeId, refund.environment, refund.refundId]));
  return `re_${digest.toString('hex').slice(0, 40)}`;
}

/** What identifies a transfer on every copy of the database: the chain's genesis, the transaction, the place in it. */
export type ChainTransfer = {
  readonly genesis: string;
  readonly transactionHash: string;
  readonly ordinal: number;
};

/** 40 hexadecimal digits that stand for a transfer. */
export const transferDigest = ({ genesis, transactionHash, ordinal }: ChainTransfer): string =>
  sha256(JSON.stringify([genesis, transactionHash, ordinal]))
    .toString('hex')
    .slice(0, 40);

/** The evidence's name for a transfer that is sent back. The signer adds up what it signs under one name. */
export const transferEvidence = (transfer: ChainTransfer): string => `transfer:${transferDigest(transfer)}`;

/** How evidence names the transfer whose payer it vouches for. */
export const transferReference = ({
  network,
  transactionHash,
  ordinal,
}: Omit<ChainTransfer, 'genesis'> & { readonly network: string }): string => `${network}/${transactionHash}/${ordinal}`;
