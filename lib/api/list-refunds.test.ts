// The listing of refunds, and how a key's scopes limit the listing of events.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { unixSeconds } from '@/lib/platform/clock';
import { transaction } from '@/lib/platform/database/db';
import { createRefundByStore } from '@/lib/refunds/request/by-store';
import { openClaim } from '@/lib/refunds/customer-address/claim-links';
import { intentIdOf } from '@/lib/refunds/request/intent';
import { untilTransactionsEnd } from '@/testing/database/open-transactions';
import { makeStore, testContext, type TestStore } from '@/testing/fixtures';
import { openFrontServer, type FrontServer } from '@/testing/front-server';
import { makePaidSession } from '@/testing/payments/paid-session';
import { refundRequest } from '@/testing/refunds/refund-caller';
import { recordPaymentEvent, recordPayoutEvent, recordRefundEvent } from '@/lib/webhooks/events/record';

let front: FrontServer;
let store: TestStore;
let sessionId: string;

beforeAll(async () => {
  front = await openFrontServer();
});
afterAll(() => front.close());
beforeEach(async () => {
  store = await makeStore(front.db, front.config);
  sessionId = await paid();
});

const paid = () => makePaidSession(front.db, { storeId: store.storeId, closedAt: front.clock.now(), cents: 100_000 });
async function create(session_id = sessionId): Promise<string> {
  const refund_id = randomUUID();
  const body = { session_id, refund_id, amount: 1, currency: 'USDT' };
  expect((await front.send({ path: '/api/v1/refunds/create', body, store })).status).toBe(201);
  return refund_id;
}
const get = (path: string, of = store) => front.send({ method: 'GET', path, store: of });
type Listed = { data: { refund_id: string; status: string }[]; next_cursor: string | null };
const list = async (query: Record<string, string> = {}, of = store): Promise<Listed> => {
  const answered = await get(`/api/v1/refunds?${new URLSearchParams(query)}`, of);
  expect(answered.status).toBe(200);
  return answered.json as unknown as Listed;
};
const idsOf = ({ data }: Listed) => data.map(({ refund_id }) => refund_id);

describe('the claim link of a refund that waits for an address', () => {
  test.each([
    ['is shown to a key that may change refunds', 'refunds:read refunds:write', true],
    ['is not shown to a key that may only read refunds', 'refunds:read', false],
  ])('%s', async (_, scopes, isShown) => {
    const context = testContext(front.db, front.clock, front.config);
    const side = { storeId: store.storeId, environment: 'test', record: async () => {} } as const;
    const { id, refundId } = await createRefundByStore(context, side, refundRequest({ session_id: sessionId }));
    await front.db.pool.query(
      `UPDATE refunds SET status = 'processing', sign_after = now(), hold = 'destination_needed', hold_message = 'x',
         held_at = now() WHERE id = $1`,
      [id],
    );
    await openClaim(context, id);
    await front.db.pool.query('UPDATE api_keys SET scopes = $2 WHERE id = $1', [store.keyId, scopes.split(' ')]);
    for (const path of [`/api/v1/refunds/${refundId}`, '/api/v1/refunds']) {
      const { status, text } = await get(path);
      expect([status, text.includes('"hold"'), text.includes('/claim/')]).toEqual([200, true, isShown]);
    }
  });
});

describe('the listing of refunds', () => {
  test('shows them newest first, as reading each returns it', async () => {
    const first = await create();
    front.clock.advance(1);
    const second = await create();
    const page = await list();
    expect(idsOf(page)).toEqual([second, first]);
    expect(page.data[0]).toEqual((await get(`/api/v1/refunds/${second}`)).json);
    expect(page.next_cursor).toBeNull();
  });

  test('shows each once, page after page, also those of one moment and while others are created', async () => {
    const made = new Set<string>();
    for (let n = 0; n < 12; n++) {
      made.add(await create());
      if (n % 5 === 0) front.clock.advance(0.007);
    }
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Listed = await list({ limit: '5', ...(cursor === null ? {} : { cursor }) });
      seen.push(...idsOf(page));
      cursor = page.next_cursor;
      front.clock.advance(1);
      await create();
    } while (cursor !== null);
    expect(seen).toHaveLength(12);
    expect(new Set(seen)).toEqual(made);
  });

  test('is filtered by status, session, order and time', async () => {
    const other = await paid();
    const early = await create();
    front.clock.advance(10);
    const late = await create(other);
    await front.send({ path: `/api/v1/refunds/${early}/cancel`, body: '', store });
    const now = unixSeconds(front.clock.now());
    for (const [query, expected] of [
      [{ status: 'canceled' }, [early]],
      [{ status: 'PENDING' }, [late]],
      [{ status: 'completed' }, []],
      [{ session_id: sessionId }, [early]],
      [{ order_id: other }, [late]],
      [{ order_id: 'nothing' }, []],
      [{ created_from: String(now) }, [late]],
      [{ created_to: String(now) }, [early]],
      [{ session_id: other, status: 'canceled' }, []],
    ] as const)
      expect([query, idsOf(await list(query))]).toEqual([query, expected]);
  });

  test('shows nothing of another store or of the other environment', async () => {
    await create();
    const others = [await makeStore(front.db, front.config), await makeStore(front.db, front.config, 'live')];
    for (const other of others) {
      expect((await list({}, other)).data).toEqual([]);
      expect((await list({ session_id: sessionId }, other)).data).toEqual([]);
      expect((await list({ order_id: sessionId }, other)).data).toEqual([]);
    }
  });

  test.each(['limit=0', 'limit=101', 'status=paid', 'cursor=xx', 'created_from=-1', 'limit=1&limit=2', 'session_id='])(
    'refuses %s and names it',
    async (query) => {
      const { status, json } = await get(`/api/v1/refunds?${query}`);
      expect([status, json.error?.code, json.error?.param]).toEqual([400, 'INVALID_PARAMETER', query.split('=')[0]]);
    },
  );

  test('accepts no cursor of another listing', async () => {
    const cursor = Buffer.from(`s1 1800000000 ${sessionId}`).toString('base64url');
    expect((await get(`/api/v1/refunds?cursor=${cursor}`)).json.error?.param).toBe('cursor');
  });
});

describe('the listing of events', () => {
  const refundId = 'refund/1';
  beforeEach(async () => {
    const about = {
      storeId: store.storeId,
      environment: 'test',
      sessionId,
      orderId: 'o',
      now: front.clock.now(),
    } as const;
    const refund = {
      refundId,
      amount: 1n,
      currency: 'USDT',
      network: 'bsc',
      transactionHash: '0x1',
      failureReason: null,
    };
    const intentId = intentIdOf({ storeId: store.storeId, environment: 'test', refundId });
    const payment = { amountDue: 1n, currency: 'USDT', exchangeRate: null, network: null, transactionHash: null };
    await transaction(front.db.pool, async (tx) => {
      await recordPaymentEvent(tx, { ...about, ...payment, type: 'payment.completed', amountReceived: 1n });
      await recordRefundEvent(tx, { ...about, ...refund, intentId, type: 'refund.succeeded' });
    });
  });
  const limitTo = (scopes: string) =>
    front.db.pool.query('UPDATE api_keys SET scopes = $2 WHERE id = $1', [store.keyId, scopes.split(' ')]);
  const types = async (query = ''): Promise<unknown> => {
    const { status, json } = await get(`/api/v1/events?${query}`);
    return status === 200
      ? (json as unknown as { data: { type: string }[] }).data.map(({ type }) => type)
      : [status, json.error?.code];
  };

  test.each(['order=asc', 'order=desc'])(
    '%s: shows a key the events of its scopes, and refuses all others',
    async (order) => {
      await limitTo('refunds:read');
      await untilTransactionsEnd(front.db);
      expect(await types(order)).toEqual(['refund.succeeded']);
      expect(await types(`${order}&type=refund.succeeded`)).toEqual(['refund.succeeded']);
      expect(await types(`${order}&type=refund.failed`)).toEqual([]);
      expect(await types(`${order}&type=payment.completed`)).toEqual([403, 'insufficient_scope']);
    },
  );

  test('shows only payments without the refund scope, and neither without a read scope', async () => {
    await limitTo('sessions:read sessions:write');
    expect(await types()).toEqual(['payment.completed']);
    expect(await types('type=refund.failed')).toEqual([403, 'insufficient_scope']);
    expect(await types('type=payment.seen')).toEqual([]);
  });

  const failPayout = () =>
    transaction(front.db.pool, (tx) =>
      recordPayoutEvent(tx, {
        ...{ payoutId: 'p', amount: 100n, currency: 'USDT', network: 'bsc', description: null, destination: null },
        ...{ intentId: `po_${randomUUID()}`, storeId: store.storeId, environment: 'test', type: 'payout.failed' },
        ...{ transactionHash: null, failureReason: 'why', now: front.clock.now() },
      }),
    );

  test('shows events of payouts to a key that may read payouts', async () => {
    await failPayout();
    await limitTo('payouts:read');
    expect(await types()).toEqual(['payout.failed']);
  });

  test('shows no event of a payout to a key with the scopes of a shop', async () => {
    await failPayout();
    await limitTo('sessions:read refunds:read');
    expect(((await types()) as string[]).toSorted()).toEqual(['payment.completed', 'refund.succeeded']);
    expect(await types('type=payout.failed')).toEqual([403, 'insufficient_scope']);
  });

  test('refuses the optional events of payments without the session scope', async () => {
    await limitTo('refunds:read');
    expect(await types('type=payment.seen')).toEqual([403, 'insufficient_scope']);
  });

  test('is closed to keys that may only write', async () => {
    await limitTo('sessions:write refunds:write');
    expect(await types()).toEqual([403, 'insufficient_scope']);
  });

  test('shows all of them to keys with both scopes, and those of one session or of one refund', async () => {
    expect(((await types()) as string[]).toSorted()).toEqual(['payment.completed', 'refund.succeeded']);
    expect(await types(`object_id=${encodeURIComponent(refundId)}`)).toEqual(['refund.succeeded']);
    expect(await types(`object_id=${sessionId}`)).toEqual(['payment.completed']);
    expect(await types(`object_id=another`)).toEqual([]);
  });
});
