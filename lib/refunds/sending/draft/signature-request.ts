// Records a signature request in one transaction, before it is sent to the signer. From then on the payment cannot be canceled. The worker
// repeats the request with the stored draft until it knows whether the signer signed it.

import type { Draft, Drafted } from '@/lib/networks/sending/send';
import { readDraft } from '@/lib/networks/sending/draft';
import { crashpoint } from '@/lib/platform/crash-point';
import type { Tx } from '@/lib/platform/database/db';
import type { Outcome } from '@/lib/signer/attestations/refund-evidence';
import { underLease, type Hold } from '@/lib/refunds/sending/lease';
import { InsufficientFloat } from '@/lib/refunds/request/convert';
import { IS_OPEN_DRAFT } from './open-draft';
import { signingHold } from './signing-hold';
import type { Destination } from '@/lib/refunds/rows';
import { holdOf, type Work } from '@/lib/refunds/sending/sending-context';
import { destinationMac } from '@/lib/refunds/sending/worker-macs';

export type SignatureRequest = {
  readonly draft: Drafted;
  /** The worker found it now, or it is proven (destination/proof.ts); from here on the worker attests to it. */
  readonly destination: Destination;
  /** About the previous attempt, which can never land. */
  readonly lapsed?: Outcome | undefined;
  /** Whether it has the nonce of an attempt that may still land. */
  readonly isReplacement?: boolean;
};

/** `first`: the payment had no signature request before. */
export type Requested = { readonly number: number; readonly first: boolean };

/**
 * Stores a draft as the request to the signer. A hold stays until the signer responds, so that a hold for its refusals counts from the
 * first of them and its retry interval grows. `lost`: the payment is canceled, or another worker has it. `busy`: another payment uses the
 * nonce, or may use it; the caller drafts again later. A hold: an operator has paused such payments, the network cost cannot be paid, or the
 * money cannot be converted now; then nothing is reserved or converted.
 */
export async function requestSignature(
  work: Work,
  request: SignatureRequest,
): Promise<Requested | Hold | 'lost' | 'busy'> {
  const { context, payment } = work;
  const requested = await underLease(context.pool, payment, async (tx): Promise<Requested | Hold | 'busy'> => {
    if (!request.isReplacement && !(await isNonceFree(tx, work, request.draft))) return 'busy';
    // A replacement belongs to a payment that is already signed. If it waited for the store's balance, its nonce would block every later
    // payment of the wallet. The operator pays what was not reserved.
    const hold = request.isReplacement
      ? null
      : // A pause or a hit may have come since the draft began.
        ((await signingHold(tx, work, request.destination)) ?? (await work.rules.reserve(tx, work, request)));
    return hold ?? storeRequest(tx, work, request);
  }).catch(floatHold);
  crashpoint('after-asked');
  return requested ?? 'lost';
}

/** Stores the request and its attempt. From then on the payment cannot be canceled. */
export async function storeRequest(
  tx: Tx,
  work: Work,
  request: Pick<SignatureRequest, 'draft' | 'destination' | 'lapsed'>,
): Promise<Requested> {
  const { context, payment } = work;
  const { table } = payment;
  const { rent, ...draft } = request.draft;
  const { address, kind, reference } = request.destination;
  const key = work.sending.signer?.evidenceKey;
  const now = context.clock.now();
  const { rows } = await tx.query<{ number: number }>({
    name: `${table}-ask`,
    text: `WITH requested AS (
               UPDATE ${table} SET destination = $2, destination_kind = $3, destination_reference = $4, destination_mac = $9,
                 signature_requested_at = coalesce(signature_requested_at, $5)
                 ${table === 'refunds' ? `, cost_bearer = coalesce(cost_bearer, 'operator')` : ''} WHERE id = $1)
             INSERT INTO refund_attempts (intent_id, number, chain_id, draft, lapsed, drafted_at, rent)
             SELECT $1, coalesce(max(number), 0) + 1, $6, $7, $8, $5, $10 FROM refund_attempts WHERE intent_id = $1
             RETURNING number`,
    values: [
      payment.id,
      address,
      kind,
      reference,
      now,
      work.chainId,
      JSON.stringify(draft),
      request.lapsed ? JSON.stringify(request.lapsed) : null,
      key ? destinationMac(key, payment, request.destination) : null,
      rent?.toString() ?? null,
    ],
  });
  const [row] = rows;
  if (!row) throw new Error('an attempt was not stored');
  return { number: row.number, first: payment.signatureRequestedAt === null };
}

/**
 * When the wallet's open draft of another payment was made; null when none is open. Drafting meanwhile would be useless. EVM only: the
 * signer gives the nonce to the draft that it signs first, and refuses the other.
 */
export async function otherDraftSince(
  { context, sending, payment, chainId }: Work,
  wallet: string,
): Promise<Date | null> {
  if (sending.spec.family !== 'evm') return null;
  const { rows } = await context.pool.query<{ drafted_at: Date }>({
    name: 'refund-other-draft',
    text: `SELECT a.drafted_at FROM refund_attempts a
           WHERE a.chain_id = $1 AND a.intent_id <> $2 AND lower(a.draft->>'from') = lower($3) AND ${IS_OPEN_DRAFT} ORDER BY a.drafted_at LIMIT 1`,
    values: [chainId, payment.id, wallet],
  });
  return rows[0]?.drafted_at ?? null;
}

/**
 * Nonces are used in order, so an EVM wallet has one open draft at a time. A former refund wallet has nonces of its own. The caller holds
 * this lock until its draft is stored. The signer makes the final check.
 */
export async function isNonceFree(tx: Tx, { chainId }: Work, draft: Draft): Promise<boolean> {
  const { validity } = readDraft(draft);
  if (validity.kind !== 'nonce') return true;
  await tx.query('SELECT pg_advisory_xact_lock($1, $2)', [LOCK_CLASS, chainId]);
  const { rowCount } = await tx.query({
    name: 'refund-nonce-taken',
    text: `SELECT 1 FROM refund_attempts a WHERE chain_id = $1 AND ended_at IS NULL AND lower(draft->>'from') = lower($3)
             AND (${IS_OPEN_DRAFT} OR (validity->>'nonce')::bigint >= $2) LIMIT 1`,
    values: [chainId, validity.nonce, draft.from],
  });
  return rowCount === 0;
}

/** The class of these advisory locks; the second part is the chain's row. */
const LOCK_CLASS = 0x7e_f0;

/** Another refund took the operator's money after this one was drafted. Throws any other error. */
function floatHold(error: unknown): Hold {
  if (error instanceof InsufficientFloat) return holdOf('no_float');
  throw error;
}
