// The specification's Refund and its three endpoints, as a merchant's server sees them
// (docs/contract.md#4-endpoints).

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { transaction } from '@/lib/platform/database/db';
import { newReceiptNumber } from '@/lib/platform/ids';
import { intentIdOf } from '@/lib/refunds/request/intent';
import { moveRefund, type RefundMove } from '@/lib/refunds/states';
import { ADAPTERS, openContract, REFUNDS, type Client, type Contract } from '@/testing/contract-client';
import { makePaidSession, type PaidSession } from '@/testing/payments/paid-session';

const REASONS = ['requested_by_customer', 'duplicate', 'fraudulent', 'expired_uncaptured'];
const PRICE = 300;
const HASH = `0x${'ab'.repeat(32)}`;

let contract: Contract;
beforeAll(async () => {
  contract = await openContract();
});
afterAll(() => contract.close());

const paid = (over: Partial<PaidSession> = {}) =>
  makePaidSession(contract.db, {
    storeId: contract.store.storeId,
    closedAt: contract.clock.now(),
    cents: PRICE,
    ...over,
  });

/** Moves a refund to another state through the state table, as the worker does. */
const move = (refundId: string, name: RefundMove): Promise<boolean> => {
  const id = intentIdOf({ ...contract.store, environment: 'test', refundId });
  const completedBy = { transactionHash: HASH, receiptNumber: newReceiptNumber() };
  const details = {
    ...(name === 'begin' ? { signAfter: contract.clock.now() } : {}),
    ...(name === 'complete' ? { completedBy } : {}),
    ...(name === 'fail' ? { failureReason: 'The token contract refused the transfer.' } : {}),
  };
  return transaction(contract.db.pool, (tx) => moveRefund(tx, id, name, { at: contract.clock.now(), ...details }));
};

describe.each(ADAPTERS)('through %s', (adapter) => {
  let merchant: Client;
  let stranger: Client;
  beforeAll(() => {
    merchant = contract.client(adapter);
    stranger = contract.client(adapter, contract.other);
  });
  const request = async (over: object = {}) => ({
    ...{ session_id: await paid(), refund_id: randomUUID(), amount: 100, currency: 'USDT', ...over },
  });
  const create = async (over: object = {}) => merchant.post(`${REFUNDS}/create`, await request(over));
  const read = (id: string) => merchant.get(`${REFUNDS}/${id}`);
  const cancel = (id: string) => merchant.post(`${REFUNDS}/${id}/cancel`, {});
  const refusal = async (over: object) => {
    const { status, json } = await create(over);
    return [status, json.error?.code];
  };
  /** A refund after these transitions. */
  const after = async (...moves: RefundMove[]): Promise<string> => {
    const { refund_id } = (await create()).json;
    contract.clock.advance(1);
    for (const one of moves) expect(await move(refund_id, one)).toBe(true);
    return refund_id as string;
  };

  test('a new refund returns 201 with every field of the specification', async () => {
    const sent = await request({
      reason: 'duplicate',
      description: 'Charged twice',
      metadata: { ticket: 17, tags: ['a'] },
    });
    const { status, json } = await merchant.post(`${REFUNDS}/create`, sent);
    expect(status).toBe(201);
    expect(json).toMatchObject({ ...sent, order_id: sent.session_id, status: 'pending', created_at: contract.now() });
    for (const later of ['failure_reason', 'transaction_hash', 'receipt_number', 'processed_at']) {
      expect(json).not.toHaveProperty(later);
    }
    expect((await read(sent.refund_id)).json).toMatchObject(json);
  });

  test('reason, description and metadata of a refund are optional', async () => {
    const { status, json } = await create();
    expect(status).toBe(201);
    for (const field of ['reason', 'description', 'metadata']) expect(json).not.toHaveProperty(field);
  });

  test.each(REASONS)('%s is a reason of a refund', async (reason) => {
    const { status, json } = await create({ reason });
    expect([status, json.reason]).toEqual([201, reason]);
  });

  test.each<[string, [number, string], object]>([
    ['session_id', [400, 'MISSING_CHARGE'], { session_id: undefined }],
    ['refund_id', [400, 'MISSING_REFUND_ID'], { refund_id: undefined }],
    ['amount', [400, 'INVALID_AMOUNT'], { amount: undefined }],
    ['currency', [400, 'INVALID_CURRENCY'], { currency: undefined }],
  ])('%s is required', async (_, expected, over) => {
    expect(await refusal(over)).toEqual(expected);
  });

  test.each<[string, [number, string], object]>([
    ['session_id', [400, 'INVALID_PARAMETER'], { session_id: 7 }],
    ['refund_id', [400, 'INVALID_PARAMETER'], { refund_id: 7 }],
    ['amount', [400, 'INVALID_AMOUNT'], { amount: '100' }],
    ['currency', [400, 'INVALID_CURRENCY'], { currency: 7 }],
    ['reason', [400, 'INVALID_PARAMETER'], { reason: 'changed_mind' }],
    ['description', [400, 'INVALID_PARAMETER'], { description: 7 }],
    ['metadata', [400, 'INVALID_PARAMETER'], { metadata: 'a' }],
  ])('%s of another type or value is refused', async (_, expected, over) => {
    expect(await refusal(over)).toEqual(expected);
  });

  test.each(['USDT', 'USDC'])('a refund may be in %s', async (currency) => {
    const { status, json } = await create({ session_id: await paid({ currency }), currency });
    expect([status, json.currency]).toEqual([201, currency]);
  });

  test('a refund in any other currency is refused with INVALID_CURRENCY', async () => {
    for (const currency of ['USD', 'EUR', 'BTC'])
      expect(await refusal({ currency })).toEqual([400, 'INVALID_CURRENCY']);
  });

  test('a refund amount is in cents, greater than zero and not above the original payment', async () => {
    for (const amount of [0, -1]) expect(await refusal({ amount })).toEqual([400, 'INVALID_AMOUNT']);
    expect(await refusal({ amount: PRICE + 1 })).toEqual([400, 'REFUND_AMOUNT_EXCEEDED']);
    const { status, json } = await create({ amount: PRICE });
    expect([status, json.amount]).toEqual([201, PRICE]);
  });

  test('only a paid session can be refunded', async () => {
    for (const status of ['pending', 'expired', 'failed', 'canceled'] as const) {
      expect(await refusal({ session_id: await paid({ status }) })).toEqual([400, 'INVALID_SESSION_STATUS']);
    }
  });

  test('the same refund_id with the same content is the same refund', async () => {
    const sent = await request();
    const [first, second] = [
      await merchant.post(`${REFUNDS}/create`, sent),
      await merchant.post(`${REFUNDS}/create`, sent),
    ];
    expect([second.status, second.json]).toEqual([201, first.json]);
    const { status, json } = await merchant.post(`${REFUNDS}/create`, { ...sent, amount: 50 });
    expect([status, json.error.code]).toEqual([400, 'REFUND_ID_CONFLICT']);
  });

  test('a refund_id is unique for its merchant alone: another merchant may use the same', async () => {
    const sent = await request();
    expect((await merchant.post(`${REFUNDS}/create`, sent)).status).toBe(201);
    const theirs = { ...sent, session_id: await paid({ storeId: contract.other.storeId }) };
    const { status, json } = await stranger.post(`${REFUNDS}/create`, theirs);
    expect([status, json.session_id]).toEqual([201, theirs.session_id]);
  });

  test('a completed refund adds its transaction, its receipt number and the time of processing', async () => {
    const { status, json } = await read(await after('begin', 'complete'));
    expect(status).toBe(200);
    expect(json).toMatchObject({ status: 'completed', transaction_hash: HASH, processed_at: contract.now() });
    expect(json.receipt_number).toMatch(/^\S+$/);
    expect(json.failure_reason ?? null).toBeNull();
  });

  test('a failed refund adds the reason of its failure and the time of processing', async () => {
    const { json } = await read(await after('begin', 'fail'));
    expect(json).toMatchObject({ status: 'failed', processed_at: contract.now() });
    expect(json.failure_reason).toBe('The token contract refused the transfer.');
    for (const field of ['transaction_hash', 'receipt_number']) expect(json).not.toHaveProperty(field);
  });

  test('a refund is pending, then processing, until it reaches a terminal state', async () => {
    expect((await read(await after())).json.status).toBe('pending');
    expect((await read(await after('begin'))).json.status).toBe('processing');
  });

  test.each<[string, RefundMove[]]>([
    ['pending', []],
    ['processing', ['begin']],
  ])('a refund that is %s can be canceled, and the answer has refund_id, status and canceled_at', async (_, moves) => {
    const refundId = await after(...moves);
    const { status, json } = await cancel(refundId);
    expect([status, json]).toEqual([200, { refund_id: refundId, status: 'canceled', canceled_at: contract.now() }]);
    expect((await read(refundId)).json.status).toBe('canceled');
  });

  test.each<[string, RefundMove[]]>([
    ['completed', ['begin', 'complete']],
    ['failed', ['begin', 'fail']],
    ['canceled', ['cancel']],
  ])('a refund that is %s cannot be canceled: 400 CANNOT_CANCEL_REFUND', async (status, moves) => {
    const refundId = await after(...moves);
    const refused = await cancel(refundId);
    expect([refused.status, refused.json.error.code]).toEqual([400, 'CANNOT_CANCEL_REFUND']);
    for (const one of ['begin', 'complete', 'fail', 'cancel'] as const) expect(await move(refundId, one)).toBe(false);
    expect((await read(refundId)).json.status).toBe(status);
  });

  test.each(['', '/cancel'])(
    'a refund at its path%s is 404 when it is missing and 403 when it is of another store',
    async (end) => {
      const { refund_id } = (await create()).json;
      const call = (client: Client, id: string) =>
        end === '' ? client.get(`${REFUNDS}/${id}`) : client.post(`${REFUNDS}/${id}${end}`, {});
      const [missing, foreign] = [await call(merchant, randomUUID()), await call(stranger, refund_id)];
      expect([missing.status, missing.json.error.code]).toEqual([404, 'REFUND_NOT_FOUND']);
      expect([foreign.status, foreign.json.error.code]).toEqual([403, 'FORBIDDEN']);
    },
  );

  test('a refund of a session is 404 when the session is missing and 403 when it is of another store', async () => {
    expect(await refusal({ session_id: `cs_test_${'5'.repeat(22)}` })).toEqual([404, 'SESSION_NOT_FOUND']);
    const foreign = await paid({ storeId: contract.other.storeId });
    expect(await refusal({ session_id: foreign })).toEqual([403, 'session_access_denied']);
  });

  test('a payment that is too old is refused with 400 REFUND_TIME_EXPIRED', async () => {
    const old = new Date(contract.clock.now().getTime() - 400 * 86_400_000);
    expect(await refusal({ session_id: await paid({ closedAt: old }) })).toEqual([400, 'REFUND_TIME_EXPIRED']);
  });

  test('beyond the daily limit a refund is 429 DAILY_REFUND_LIMIT_EXCEEDED', async () => {
    const session_id = await paid({ cents: 90_000_000 });
    expect(await refusal({ session_id, amount: 80_000_000 })).toEqual([429, 'DAILY_REFUND_LIMIT_EXCEEDED']);
  });
});
