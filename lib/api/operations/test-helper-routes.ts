// The sandbox's test helpers: they make the local chains pay, mine and reorganise, so that a developer can try every outcome.
// They call the sandbox process, which alone holds the payer's keys; test keys only.

import { z } from 'zod';
import { spendNonce, type Caller } from '@/lib/merchants/api-keys/nonces';
import { fromUnixSeconds, unixSeconds } from '@/lib/platform/clock';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { jsonResponse } from '@/lib/platform/http';
import { merchantIdIn } from '@/lib/platform/request-text';
import { lockSession } from '@/lib/payments/sessions/read';
import { callSandbox } from './sandbox-client';
import { depositAddress } from './test-helper-addresses';
import type { Handler } from '@/lib/api/handler';
import type { Services } from '@/lib/api/services';
import { readApiBody } from '@/lib/api/validate';

const DAY_SECONDS = 86_400;
const PARAMETER = { error: 'INVALID_PARAMETER' };
const SCENARIOS = [
  'exact',
  'partial',
  'over',
  'wrong_token',
  'fake_token',
  'failed',
  'reorged',
  'split',
  'batch',
] as const;

export const paySchema = z.object({
  network: z.string(PARAMETER),
  currency: z.string(PARAMETER),
  amount: z
    .int({ error: 'INVALID_AMOUNT' })
    .min(1, { error: 'INVALID_AMOUNT' })
    .max(10 ** 15, { error: 'INVALID_AMOUNT' })
    .optional(),
  scenario: z.enum(SCENARIOS, PARAMETER).default('exact'),
});
/** `reason` documents the request for its readers. The failure has the issuer's reason. */
export const failSchema = z.object({ reason: z.string(PARAMETER).max(1000, PARAMETER).optional() });
/** One day more than the longest refund window that an operator can set (lib/dashboard/requests/operator-routes). */
const OLDEST_DAYS = 3651;
export const ageSchema = z.object({ days: z.int(PARAMETER).min(1, PARAMETER).max(OLDEST_DAYS, PARAMETER) });
export const mineSchema = z.object({ blocks: z.int(PARAMETER).min(1, PARAMETER).max(1000, PARAMETER) });
export const reorgSchema = z.object({ depth: z.int(PARAMETER).min(1, PARAMETER).max(64, PARAMETER) });

/** POST …/checkout/sessions/{session_id}/pay: a real transfer on the local chain, whatever the session's status. */
export const paySessionRoute: Handler = async ({ services, request, caller, params }) => {
  const body = readApiBody(request.body, paySchema);
  const target = await transaction(services.pool, async (tx) => {
    await spendNonce(tx, caller);
    return depositAddress(tx, caller, params.session_id as string, body.network);
  });
  const paid = await callSandbox(services, '/control/pay', {
    network: body.network,
    currency: body.currency.toUpperCase(),
    recipient: target.address,
    scenario: body.scenario,
    cents: amountFor(body.scenario, body.amount, Number(target.amountDue)),
    ...(target.other ? { other: { recipient: target.other, cents: 1 } } : {}),
  });
  return jsonResponse(202, JSON.stringify({ transaction_hash: paid.transaction_hash, network: body.network }));
};

/** Without an amount, `partial` pays part of the price and `over` more than the price. */
function amountFor(scenario: (typeof SCENARIOS)[number], given: number | undefined, due: number): number {
  if (given !== undefined) return given;
  if (scenario === 'partial') return Math.max(1, Math.floor(due / 2));
  if (scenario === 'over') return due + Math.max(1, Math.floor(due / 10));
  return due;
}

/** POST …/checkout/sessions/{session_id}/expire: moves the expiry to now. The ordinary rules then expire the session. */
export const expireSessionRoute: Handler = async ({ services, caller, params }) => {
  const now = fromUnixSeconds(unixSeconds(services.clock.now()));
  const sessionId = await transaction(services.pool, async (tx) => {
    await spendNonce(tx, caller);
    const session = await lockSession(tx, caller, params.session_id as string);
    await tx.query(`UPDATE sessions SET expires_at = least(expires_at, $2) WHERE id = $1 AND status = 'pending'`, [
      session.id,
      now,
    ]);
    return session.id;
  });
  return jsonResponse(200, JSON.stringify({ id: sessionId, expires_at: unixSeconds(now) }));
};

/**
 * POST …/checkout/sessions/{session_id}/age: makes a paid session's payment `days` old, so that the ordinary rule refuses its
 * refund. `expires_at` stays: moving it would turn the payment on the chain into a late one.
 */
export const ageSessionRoute: Handler = async ({ services, request, caller, params }) => {
  const { days } = readApiBody(request.body, ageSchema);
  const paidAt = fromUnixSeconds(unixSeconds(services.clock.now()) - days * DAY_SECONDS);
  const { id, created } = await transaction(services.pool, async (tx) => {
    await spendNonce(tx, caller);
    const session = await lockSession(tx, caller, params.session_id as string);
    const { rows } = await tx.query<{ id: string; created: Date }>(
      `UPDATE sessions SET created_at = created_at - (closed_at - $2::timestamptz), closed_at = $2
       WHERE id = $1 AND status = 'completed' RETURNING id, created_at AS created`,
      [session.id, paidAt],
    );
    if (!rows[0])
      throw new ServiceError('INVALID_PARAMETER', { param: 'session_id', message: 'The session is not paid.' });
    return rows[0];
  });
  return jsonResponse(200, JSON.stringify({ id, created: unixSeconds(created), paid_at: unixSeconds(paidAt) }));
};

/**
 * POST …/refunds/{refund_id}/fail: redirects the refund to a new address that the token's issuer has blocked, as a customer could
 * have requested. Its sending then fails in the ordinary way. Possible only before the refund is sent.
 */
export const failRefundRoute: Handler = async ({ services, request, caller, params }) => {
  readApiBody(request.body, failSchema);
  const { pool, clock } = services;
  const refund = await transaction(pool, async (tx) => {
    await spendNonce(tx, caller);
    return openRefund(tx, caller, params.refund_id as string);
  });
  const { address } = await callSandbox(services, '/control/blocked-address', {
    network: refund.network,
    currency: refund.currency,
  });
  await transaction(pool, async (tx) => {
    await openRefund(tx, caller, params.refund_id as string);
    const text = `INSERT INTO refund_addresses (session_id, network, address, intent_id, given_at) VALUES ($1, $2, $3, $4, $5)
                  ON CONFLICT (intent_id) DO NOTHING`;
    const stored = refund.network === 'tron' || refund.network === 'solana' ? address : String(address).toLowerCase();
    await tx.query(text, [refund.session_id, refund.network, stored, refund.id, clock.now()]);
  });
  return jsonResponse(200, JSON.stringify({ refund_id: params.refund_id }));
};

type OpenRefund = { id: string; session_id: string; network: string; currency: string; open: boolean };

/**
 * The caller's refund, locked. Throws REFUND_NOT_FOUND, also for another store's refund, and INVALID_PARAMETER when it is too
 * late.
 */
async function openRefund(tx: Tx, { key }: Caller, refundId: string): Promise<OpenRefund> {
  const { rows } = await tx.query<OpenRefund>(
    `SELECT id, session_id, network, currency, status IN ('pending', 'processing') AND signature_requested_at IS NULL AS open
     FROM refunds WHERE store_id = $1 AND environment = $2::"Environment" AND refund_id = $3 FOR UPDATE`,
    [key.storeId, key.environment, merchantIdIn(refundId)],
  );
  const [refund] = rows;
  if (!refund) throw new ServiceError('REFUND_NOT_FOUND', { param: 'refund_id' });
  if (refund.open) return refund;
  throw new ServiceError('INVALID_PARAMETER', {
    param: 'refund_id',
    message: 'The refund has ended or is on its way.',
  });
}

/** POST …/networks/{network}/mine */
export const mineRoute: Handler = async ({ services, request, caller, params }) => {
  const { blocks } = readApiBody(request.body, mineSchema);
  return control(services, caller, '/control/mine', { network: params.network, blocks });
};

/** POST …/networks/{network}/reorg: replaces the last blocks. */
export const reorgRoute: Handler = async ({ services, request, caller, params }) => {
  const { depth } = readApiBody(request.body, reorgSchema);
  return control(services, caller, '/control/reorg', { network: params.network, depth });
};

async function control(services: Services, caller: Caller, path: string, body: Record<string, unknown>) {
  await spendNonce(services.pool, caller);
  return jsonResponse(200, JSON.stringify(await callSandbox(services, path, body)));
}
