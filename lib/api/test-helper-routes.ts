// The sandbox's test helpers (sandbox.md, "Test helpers"): they make the local chains pay, mine and reorganise, so that a
// developer can try every outcome. They ask the sandbox process, which alone holds the payer's keys; test keys only.

import { z } from 'zod';
import { spendNonce, type Caller } from '@/lib/auth/nonces';
import { fromUnixSeconds, unixSeconds } from '@/lib/clock';
import { transaction } from '@/lib/db';
import { jsonResponse } from '@/lib/http';
import { lockSession } from '@/lib/sessions/read';
import { askSandbox } from './sandbox-client';
import { receivingAddress } from './test-helper-addresses';
import type { Handler } from './handler';
import type { Services } from './services';
import { readBody } from './validate';

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
export const mineSchema = z.object({ blocks: z.int(PARAMETER).min(1, PARAMETER).max(1000, PARAMETER) });
export const reorgSchema = z.object({ depth: z.int(PARAMETER).min(1, PARAMETER).max(64, PARAMETER) });

/** POST …/checkout/sessions/{session_id}/pay: a real transfer on the local chain, whatever the session's status. */
export const paySessionRoute: Handler = async ({ services, request, caller, params }) => {
  const body = readBody(request.body, paySchema);
  const target = await transaction(services.pool, async (tx) => {
    await spendNonce(tx, caller);
    return receivingAddress(tx, caller, params.session_id as string, body.network);
  });
  const paid = await askSandbox(services, '/control/pay', {
    network: body.network,
    currency: body.currency.toUpperCase(),
    recipient: target.address,
    scenario: body.scenario,
    cents: amountFor(body.scenario, body.amount, Number(target.amountDue)),
    ...(target.other ? { other: { recipient: target.other, cents: 1 } } : {}),
  });
  return jsonResponse(202, JSON.stringify({ transaction_hash: paid.transaction_hash, network: body.network }));
};

/** `partial` pays something between nothing and the price, `over` more than it, unless an amount is given. */
function amountFor(scenario: (typeof SCENARIOS)[number], given: number | undefined, due: number): number {
  if (given !== undefined) return given;
  if (scenario === 'partial') return Math.max(1, Math.floor(due / 2));
  if (scenario === 'over') return due + Math.max(1, Math.floor(due / 10));
  return due;
}

/** POST …/checkout/sessions/{session_id}/expire: brings the expiry to now; the ordinary rules then end the session. */
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

/** POST …/networks/{network}/mine */
export const mineRoute: Handler = async ({ services, request, caller, params }) => {
  const { blocks } = readBody(request.body, mineSchema);
  return control(services, caller, '/control/mine', { network: params.network, blocks });
};

/** POST …/networks/{network}/reorg: replaces the last blocks. */
export const reorgRoute: Handler = async ({ services, request, caller, params }) => {
  const { depth } = readBody(request.body, reorgSchema);
  return control(services, caller, '/control/reorg', { network: params.network, depth });
};

async function control(services: Services, caller: Caller, path: string, body: Record<string, unknown>) {
  await spendNonce(services.pool, caller);
  return jsonResponse(200, JSON.stringify(await askSandbox(services, path, body)));
}
