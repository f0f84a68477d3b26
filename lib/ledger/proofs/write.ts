// Stores a signed proof, and deletes those that are too old. A proof is due once a day (UTC), and after an operator requested one.

import type { Context } from '@/lib/platform/context';
import { transaction, type Db, type Tx } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import type { Commitment } from './compose';
import type { SignedText } from './key';

/** A merchant who needs a proof for longer downloads it. A proof for five thousand stores takes about thirty megabytes. */
const KEPT_DAYS = 30;
/** Class of the advisory lock that makes two workers store one proof. */
const LOCK_CLASS = 0x7e_f9;

/**
 * The web process's clock says when a request was made, and the worker's when a proof was. A request from ahead of the worker's clock waits
 * until that clock reaches it. Otherwise no proof would be later than the request, and the worker would make one after another.
 */
export async function isDue(db: Db, environment: Environment, now: Date): Promise<boolean> {
  const { rows } = await db.query<{ is_due: boolean }>({
    name: 'reserve-proof-due',
    text: `SELECT coalesce(max(made_at) < greatest(date_trunc('day', $2::timestamptz, 'UTC'),
             (SELECT requested_at FROM reserve_requests
               WHERE environment = $1::"Environment" AND requested_at <= $2::timestamptz)), true) AS is_due
           FROM reserve_proofs WHERE environment = $1::"Environment"`,
    values: [environment, now],
  });
  return rows[0]?.is_due ?? true;
}

export type ProofToStore = {
  readonly environment: Environment;
  readonly madeAt: Date;
  readonly signed: SignedText;
  readonly commitments: readonly Commitment[];
};

/** A no-op if another worker stored one meanwhile. */
export async function storeProof(
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  { environment, madeAt, signed, commitments }: ProofToStore,
): Promise<boolean> {
  return transaction(pool, async (tx) => {
    await tx.query({
      name: 'reserve-proof-lock',
      text: 'SELECT pg_advisory_xact_lock($1, hashtext($2))',
      values: [LOCK_CLASS, environment],
    });
    if (!(await isDue(tx, environment, madeAt))) return false;
    const { rows } = await tx.query<{ id: string }>({
      name: 'reserve-proof-store',
      text: `INSERT INTO reserve_proofs (environment, made_at, statement, signature, public_key)
             VALUES ($1::"Environment", $2, $3, $4, $5) RETURNING id::text`,
      values: [environment, madeAt, signed.text, signed.signature, signed.publicKey],
    });
    const id = rows[0]?.id ?? '';
    for (const one of commitments) await storeCommitment(tx, id, one);
    await tx.query({
      name: 'reserve-proofs-clear',
      text: `DELETE FROM reserve_proofs WHERE environment = $1::"Environment"
               AND made_at < $2::timestamptz - interval '${KEPT_DAYS} days'`,
      values: [environment, clock.now()],
    });
    return true;
  });
}

async function storeCommitment(tx: Tx, id: string, { network, currency, tree, stores }: Commitment): Promise<void> {
  await tx.query({
    name: 'reserve-tree-store',
    text: 'INSERT INTO reserve_trees (proof_id, network, currency, nodes) VALUES ($1, $2, $3, $4)',
    values: [id, network, currency, tree.nodes],
  });
  const leaves = stores.map(({ storeId, salt, shares, ...parts }) => ({
    store_id: storeId,
    salt: salt.toString('hex'),
    shares: shares.map(({ amount, index }) => ({ amount: amount.toString(), index })),
    ...Object.fromEntries(Object.entries(parts).map(([part, amount]) => [part, amount.toString()])),
  }));
  await tx.query({
    name: 'reserve-leaves-store',
    text: `INSERT INTO reserve_leaves (proof_id, store_id, network, currency, available, unresolved, refunds, payouts, salt, shares)
           SELECT $1, store_id, $2, $3, available, unresolved, refunds, payouts, decode(salt, 'hex'), shares
           FROM jsonb_to_recordset($4::jsonb) AS leaf (store_id text, available numeric, unresolved numeric, refunds numeric,
             payouts numeric, salt text, shares jsonb)`,
    values: [id, network, currency, JSON.stringify(leaves)],
  });
}
