// The name of a refund's payment, derived only from its store and the merchant's name for it. So a database that was restored from a
// backup and lacks the refund derives the same name when the merchant requests it again. The signer then knows that it has signed it
// already.

import { sha256 } from '@/lib/platform/crypto';
import type { Environment } from '@/lib/platform/ids';

/** `re_` and 40 hexadecimal digits: the signer's intent, Refund.id. */
export function intentIdOf(refund: { storeId: string; environment: Environment; refundId: string }): string {
  const digest = sha256(JSON.stringify([refund.storeId, refund.environment, refund.refundId]));
  return `re_${digest.toString('hex').slice(0, 40)}`;
}

/** Identifies a transfer in every copy of the database: the chain's genesis, the transaction, and its place in the transaction. */
export type ChainTransfer = {
  readonly genesis: string;
  readonly transactionHash: string;
  readonly ordinal: number;
};

/** 40 hexadecimal digits that identify a transfer. */
export const transferDigest = ({ genesis, transactionHash, ordinal }: ChainTransfer): string =>
  sha256(JSON.stringify([genesis, transactionHash, ordinal]))
    .toString('hex')
    .slice(0, 40);

/** The evidence name of a transfer that is sent back. The signer adds up what it signs under one name. */
export const transferEvidence = (transfer: ChainTransfer): string => `transfer:${transferDigest(transfer)}`;

/** How evidence names the transfer whose payer it attests. */
export const transferReference = ({
  network,
  transactionHash,
  ordinal,
}: Omit<ChainTransfer, 'genesis'> & { readonly network: string }): string => `${network}/${transactionHash}/${ordinal}`;
