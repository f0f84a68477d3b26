// The claim for signing: one transaction that says that the signer is asked, and for what. From here on a refund cannot be
// canceled, and the draft that is stored is the one that is asked for, again and again, until it is known whether it was signed.

import type { Draft, Drafted } from '@/lib/networks/sending/send';
import { readDraft } from '@/lib/networks/sending/draft';
import { crashpoint } from '@/lib/platform/crash-point';
import type { Tx } from '@/lib/platform/database/db';
import type { Outcome } from '@/lib/signer/attestations/refund-evidence';
import { isWithinProven } from '@/lib/refunds/approval/backing';
import { whileMine, type Hold } from '@/lib/refunds/payout/lease';
import { convertRefund, NoFloat } from '@/lib/refunds/request/convert';
import { reserveCost } from '@/lib/refunds/request/costs';
import { IS_OPEN_DRAFT } from './open-draft';
import { checkRentLimit } from './rent-limit';
import type { Destination } from '@/lib/refunds/rows';
import { holdOf, type Work } from '@/lib/refunds/payout/payout-context';
import { destinationMac } from '@/lib/refunds/payout/worker-macs';

export type Asking = {
  readonly draft: Drafted;
  /** Found by the worker now, or proven (destination-proof.ts): the worker vouches for it from here on. */
  readonly destination: Destination;
  /** About the attempt before, which can never land. */
  readonly lapsed?: Outcome | undefined;
  /** It has the nonce of an attempt that may still land. */
  readonly isReplacement?: boolean;
};

/** `first`: nothing was asked for this refund before. */
export type Asked = { readonly number: number; readonly first: boolean };

/**
 * Stores a draft as what the signer is asked for. A hold stays until the answer, so that one that the signer's refusal is lasts
 * from the first of them, and is waited for longer and longer. `lost`: the refund is canceled, or another worker's. `busy`: another
 * refund has the nonce, or may have it; to be drafted again. A hold: its network cost cannot be borne, or its money not be converted
 * now; nothing is reserved or converted then.
 */
export async function askFor(work: Work, asking: Asking): Promise<Asked | Hold | 'lost' | 'busy'> {
  const { context, refund } = work;
  const { rent, ...draft } = asking.draft;
  const asked = await whileMine(context.pool, refund, async (tx): Promise<Asked | Hold | 'busy'> => {
    if (!asking.isReplacement && !(await isNonceFree(tx, work, draft))) return 'busy';
    const { address, kind, reference } = asking.destination;
    const key = work.line.signer?.evidenceKey;
    // A replacement moves a payment that is signed already. If it waited for the store's balance, every later payment of the wallet
    // would wait behind its nonce. The operator bears what was not reserved.
    const hold = asking.isReplacement ? null : await takeMoney(tx, work, asking);
    if (hold) return hold;
    const now = context.clock.now();
    const { rows } = await tx.query<{ number: number }>({
      name: 'refund-ask',
      text: `WITH asked AS (
               UPDATE refunds SET destination = $2, destination_kind = $3, destination_reference = $4, destination_mac = $9,
                 asked_at = coalesce(asked_at, $5), cost_bearer = coalesce(cost_bearer, 'operator') WHERE id = $1)
             INSERT INTO refund_attempts (intent_id, number, chain_id, draft, lapsed, drafted_at, rent)
             SELECT $1, coalesce(max(number), 0) + 1, $6, $7, $8, $5, $10 FROM refund_attempts WHERE intent_id = $1
             RETURNING number`,
      values: [
        refund.id,
        address,
        kind,
        reference,
        now,
        work.chainId,
        JSON.stringify(draft),
        asking.lapsed ? JSON.stringify(asking.lapsed) : null,
        key ? destinationMac(key, refund, asking.destination) : null,
        rent?.toString() ?? null,
      ],
    });
    const [row] = rows;
    if (!row) throw new Error('an attempt was not stored');
    return { number: row.number, first: refund.askedAt === null };
  }).catch(floatHold);
  crashpoint('after-asked');
  return asked ?? 'lost';
}

/**
 * Since when another refund's draft is open, so that a draft now would be for nothing; null when none is. EVM only: the signer gives
 * the nonce to the draft that it signs first, and refuses the other.
 */
export async function otherDraftSince({ context, line, refund, chainId }: Work): Promise<Date | null> {
  if (line.spec.family !== 'evm') return null;
  const { rows } = await context.pool.query<{ drafted_at: Date }>({
    name: 'refund-other-draft',
    text: `SELECT a.drafted_at FROM refund_attempts a
           WHERE a.chain_id = $1 AND a.intent_id <> $2 AND ${IS_OPEN_DRAFT} ORDER BY a.drafted_at LIMIT 1`,
    values: [chainId, refund.id],
  });
  return rows[0]?.drafted_at ?? null;
}

/**
 * Nonces are used one after the other, so an EVM wallet has one open draft at a time. The caller holds this lock until its draft is
 * stored; the signer refuses what is wrong all the same.
 */
async function isNonceFree(tx: Tx, { chainId }: Work, draft: Draft): Promise<boolean> {
  const { validity } = readDraft(draft);
  if (validity.kind !== 'nonce') return true;
  await tx.query('SELECT pg_advisory_xact_lock($1, $2)', [LOCK_CLASS, chainId]);
  const { rowCount } = await tx.query({
    name: 'refund-nonce-taken',
    text: `SELECT 1 FROM refund_attempts a WHERE chain_id = $1 AND ended_at IS NULL
             AND (${IS_OPEN_DRAFT} OR (validity->>'nonce')::bigint >= $2) LIMIT 1`,
    values: [chainId, validity.nonce],
  });
  return rowCount === 0;
}

/** Sets these advisory locks apart from any others; the second part is the chain's row. */
const LOCK_CLASS = 0x7e_f0;

/** Reserves the cost of a first draft and converts the refund's money. Returns why the cost cannot be borne now, or null. */
async function takeMoney(tx: Tx, work: Work, { draft, destination }: Asking): Promise<Hold | null> {
  if (!(await isWithinProven(tx, work, destination))) return holdOf('evidence');
  const payee = { to: destination.address, currency: work.refund.currency };
  const rentHold = draft.rent ? await checkRentLimit(tx, work, payee) : null;
  const hold = rentHold ?? (await reserveCost(tx, work, draft));
  if (hold === null) await convertRefund(tx, work);
  return hold;
}

/** Another refund took the operator's money since this one was drafted. Throws any other error. */
function floatHold(error: unknown): Hold {
  if (error instanceof NoFloat) return holdOf('no_float');
  throw error;
}
