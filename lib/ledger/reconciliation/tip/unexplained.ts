// Which transfers out of our wallets no intent of ours explains. From a deposit address: all that do not go to a treasury wallet, except the
// token's own fee. From a wallet of the signer: those of a transaction that this database has not signed. Pure.

import type { FoundTransfer } from '@/lib/networks/chain';
import { FEE_SHARE } from '@/lib/ledger/reconciliation/outflows';

export type OwnWallets = {
  /** Addresses to which deposit addresses are swept. */
  readonly treasuries: ReadonlySet<string>;
  readonly refundWallet: string;
  /** The refund wallet and the sponsors of the signer. */
  readonly signing: ReadonlySet<string>;
};

/** Of transfers that were found together. `signed`: hashes of transactions that this database has signed. */
export const unexplainedAmong = (
  outgoing: readonly FoundTransfer[],
  { treasuries, signing }: OwnWallets,
  signed: ReadonlySet<string>,
): readonly FoundTransfer[] =>
  outgoing.filter((one) =>
    signing.has(one.payer)
      ? !signed.has(one.transactionHash)
      : !treasuries.has(one.recipient) && !isTokenFee(one, outgoing, treasuries),
  );

const isTokenFee = (
  { transactionHash, payer, contract, amount }: FoundTransfer,
  outgoing: readonly FoundTransfer[],
  treasuries: ReadonlySet<string>,
): boolean =>
  outgoing.some(
    (sweep) =>
      treasuries.has(sweep.recipient) &&
      sweep.transactionHash === transactionHash &&
      sweep.payer === payer &&
      sweep.contract === contract &&
      amount * BigInt(FEE_SHARE) <= sweep.amount + amount,
  );
