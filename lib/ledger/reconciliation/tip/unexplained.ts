// Which transfers out of our wallets no intent of ours explains. From a deposit address: all that do not go to a treasury wallet, except the
// token's own fee. From a wallet of the signer: those of a transaction that this database has not signed. Its hash is stored before the
// transaction is sent.

import type { FoundTransfer } from '@/lib/networks/chain';
import type { Db } from '@/lib/platform/database/db';
import { FEE_SHARE } from '@/lib/ledger/reconciliation/outflows';
import { IS_OPEN_DRAFT } from '@/lib/refunds/sending/draft/open-draft';

export type OwnWallets = {
  /** Addresses to which deposit addresses are swept. */
  readonly treasuries: ReadonlySet<string>;
  /** The refund wallet and the sponsors of the signer. */
  readonly signing: ReadonlySet<string>;
};

/** Of transfers that were found together. `maybe`: explained once the worker has stored what the signer signed, so look again later. */
export type Unexplained = { readonly sure: readonly FoundTransfer[]; readonly maybe: readonly FoundTransfer[] };

export async function unexplainedAmong(
  db: Db,
  { chainId, wallets, now }: { readonly chainId: number; readonly wallets: OwnWallets; readonly now: Date },
  outgoing: readonly FoundTransfer[],
): Promise<Unexplained> {
  const { treasuries, signing } = wallets;
  const fromDeposits = outgoing.filter(
    (one) => !signing.has(one.payer) && !treasuries.has(one.recipient) && !isTokenFee(one, outgoing, treasuries),
  );
  const fromWallets = outgoing.filter(({ payer }) => signing.has(payer));
  if (fromWallets.length === 0) return { sure: fromDeposits, maybe: [] };
  const hashes = [...new Set(fromWallets.map(({ transactionHash }) => transactionHash))];
  const { known, isSigning } = await readSigned(db, { chainId, hashes, now });
  const unknown = fromWallets.filter(({ transactionHash }) => !known.has(transactionHash));
  return isSigning ? { sure: fromDeposits, maybe: unknown } : { sure: [...fromDeposits, ...unknown], maybe: [] };
}

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

/** A sweep that ended earlier is in no block near the tip. */
const ENDED_WITHIN = `interval '1 day'`;

/**
 * Which of these transactions the signer signed for this database. `isSigning`: a payment may be signed whose hash is not stored yet, as
 * while an operator recovers payments from the signer's journal.
 */
async function readSigned(
  db: Db,
  { chainId, hashes, now }: { readonly chainId: number; readonly hashes: readonly string[]; readonly now: Date },
): Promise<{ readonly known: ReadonlySet<string>; readonly isSigning: boolean }> {
  const { rows } = await db.query<{ known: string[]; is_signing: boolean }>({
    name: 'tip-outflows-known',
    text: `SELECT ARRAY(SELECT hash FROM refund_attempts WHERE chain_id = $1 AND hash = ANY($2)
               UNION SELECT h.hash FROM sweeps s CROSS JOIN LATERAL unnest(s.hashes) AS h (hash)
                 WHERE s.chain_id = $1 AND (s.ended_at IS NULL OR s.ended_at > $3::timestamptz - ${ENDED_WITHIN})
                   AND h.hash = ANY($2)) AS known,
             EXISTS (SELECT FROM refund_attempts a WHERE a.chain_id = $1 AND ${IS_OPEN_DRAFT}) AS is_signing`,
    values: [chainId, hashes, now],
  });
  const [row] = rows;
  return { known: new Set(row?.known), isSigning: row?.is_signing ?? false };
}
