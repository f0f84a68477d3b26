// Which transfers out of our wallets no intent of ours explains. From a deposit address: all that do not go to a treasury wallet, except the
// token's own fee. Tokens from a wallet of the signer: those of a transaction that this database has not signed. Coin from such a wallet: all
// that goes neither to a wallet of ours nor, by a sweep, to a recipient of sweeps. A deposit address alone is not enough: a thief has its key. Pure.

import type { FoundTransfer } from '@/lib/networks/chain';
import { isCoin } from '@/lib/networks/coins';
import { FEE_SHARE } from '@/lib/ledger/reconciliation/outflows';
import type { KnownTransactions } from './rows';

export type OwnWallets = {
  /** Addresses to which deposit addresses are swept. */
  readonly treasuries: ReadonlySet<string>;
  readonly refundWallet: string;
  /** The refund wallet and the sponsors of the signer. */
  readonly signing: ReadonlySet<string>;
  /** All wallets of the installation, also those that the owner has the key of. */
  readonly all: ReadonlySet<string>;
};

/** `sweepRecipients`: recipients to which a sweep may send coin. */
type Known = Pick<KnownTransactions, 'signed' | 'swept'> & { readonly sweepRecipients: ReadonlySet<string> };

/** Of transfers that were found together. */
export const unexplainedAmong = (
  outgoing: readonly FoundTransfer[],
  { treasuries, signing, all }: OwnWallets,
  { signed, swept, sweepRecipients }: Known,
): readonly FoundTransfer[] =>
  outgoing.filter((one) => {
    const { currency, payer, recipient, transactionHash } = one;
    if (isCoin(currency)) return !all.has(recipient) && !(sweepRecipients.has(recipient) && swept.has(transactionHash));
    if (signing.has(payer)) return !signed.has(transactionHash);
    return !treasuries.has(recipient) && !isTokenFee(one, outgoing, treasuries);
  });

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
