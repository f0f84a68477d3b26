// The webhook console's requests through the adapter: what they send, change and answer. No answer ever holds a secret.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { listAudit } from '@/lib/merchants/audit/read';
import { signatureOf } from '@/lib/platform/crypto';
import type { ApiResponse } from '@/lib/platform/http';
import { browserRequest, cookieOf, openAccounts, type Accounts } from '@/testing/accounts';
import { makeStore } from '@/testing/fixtures';
import { makeEndpoint, recordEvent, type TestEndpoint } from '@/testing/receivers/webhooks';
import { setWebhookEndpoint } from '@/lib/merchants/stores/webhook-endpoint';
import { OPTIONAL_EVENTS } from '@/lib/webhooks/events/events';
import { signedHeaders } from '@/lib/webhooks/events/message';
import { unixSeconds } from '@/lib/platform/clock';
import { readDeliveryFilters, readDeliveryPage } from '@/lib/dashboard/lists/deliveries';
import { answerDashboard } from '@/lib/dashboard/adapter';
import { ROUTES } from '@/lib/dashboard/routes';

type Body = { error?: { code: string }; steps?: Step[]; [name: string]: unknown };
type Step = { step: string; verdict: string; reason: string; match: { secret: string } | null };
const URL_HERE = 'http://127.0.0.1:9/hook';

let accounts: Accounts;
let store: TestEndpoint;
let cookie: string;

beforeAll(async () => {
  accounts = await openAccounts();
});
afterAll(() => accounts.close());
beforeEach(async () => {
  store = await makeEndpoint(accounts.database, accounts.context, URL_HERE);
  const { id } = await accounts.user();
  await accounts.member(store.storeId, id, 'developer');
  cookie = await cookieOf(accounts.context, await accounts.login(id));
});

async function post(path: string, body: object, at = `${store.storeId}/test`): Promise<{ status: number; body: Body }> {
  const request = browserRequest(accounts.context, {
    method: 'POST',
    path: `/api/dashboard/stores/${at}${path}`,
    cookie,
    body,
  });
  const { status, body: text } = (await answerDashboard(accounts.context, request, ROUTES)) as ApiResponse;
  return { status, body: JSON.parse(text) };
}
const query = async (text: string) => (await accounts.database.pool.query(text, [store.storeId])).rows;
const failAll = () =>
  query(
    `UPDATE deliveries SET status = 'failed', finished_at = now(), attempts = 1 WHERE store_id = $1 AND status = 'pending'`,
  );
const lanes = async () =>
  (await query('SELECT lane FROM deliveries WHERE store_id = $1 ORDER BY id')).map(({ lane }) => lane);
const audited = async () =>
  (await listAudit(accounts.database.pool, { storeId: store.storeId, limit: 50 })).entries.map(({ action }) => action);

describe('sending again', () => {
  test('resends only those of a selection that belong to this store', async () => {
    for (let n = 0; n < 3; n++) await recordEvent(accounts.context, store);
    const foreign = await makeEndpoint(accounts.database, accounts.context, URL_HERE);
    await recordEvent(accounts.context, foreign);
    const rows = await accounts.database.pool.query('SELECT id, store_id FROM events ORDER BY id');
    const own = rows.rows.filter((row) => row.store_id === store.storeId).map(({ id }) => id);
    const theirs = rows.rows.filter((row) => row.store_id === foreign.storeId).map(({ id }) => id);
    const asked = { event_ids: [own[0], own[2], ...theirs, 'evt_none'] };
    expect((await post('/deliveries/resend', asked)).body).toEqual({ count: 2 });
    expect(await lanes()).toEqual(['first', 'first', 'first', 'resent', 'resent']);
    expect((await post('/deliveries/resend', { event_ids: theirs })).status).toBe(404);
    for (const wrong of [{ event_ids: [] }, { event_ids: Array.from({ length: 101 }, () => 'evt_1') }, {}])
      expect((await post('/deliveries/resend', wrong)).status).toBe(400);
    expect(await audited()).toContain('event.resend_selected');
  });

  test('resends everything that failed since a time, once, but nothing that arrived', async () => {
    for (let n = 0; n < 3; n++) await recordEvent(accounts.context, store);
    await query(
      `UPDATE deliveries SET status = 'delivered', finished_at = now() WHERE id = (SELECT min(id) FROM deliveries WHERE store_id = $1)`,
    );
    await failAll();
    await query(
      `UPDATE deliveries SET created_at = now() - interval '2 days' WHERE id = (SELECT max(id) FROM deliveries WHERE store_id = $1)`,
    );
    const since = unixSeconds(new Date(Date.now() - 3_600_000));
    expect((await post('/deliveries/resend-failed', { since })).body).toEqual({ count: 1, is_more: false });
    expect((await post('/deliveries/resend-failed', { since })).body).toEqual({ count: 0, is_more: false });
    expect((await post('/deliveries/resend-failed', { since: -1 })).status).toBe(400);
    expect((await audited()).filter((action) => action === 'event.resend_failed')).toHaveLength(1);
  });
});

test('a test event can have every known type, but no other', async () => {
  const types = ['payment.completed', 'payment.failed', 'payment.expired', 'payment.cancelled', 'refund.succeeded'];
  for (const type of [...types, 'refund.failed']) expect((await post('/test-events', { type })).status).toBe(200);
  expect((await post('/test-events', { type: 'payment.made_up' })).status).toBe(400);
  expect((await post('/test-events', { type: types[0] }, `${store.storeId}/live`)).status).toBe(404);
  expect((await post('/test-events', { type: types[0] }, `${store.storeId}/moon`)).status).toBe(404);
  const filters = readDeliveryFilters({ type: 'refund.failed', status: 'pending' });
  const page = await readDeliveryPage(accounts.context, { ...store, environment: 'test' }, filters, { after: null });
  expect(page).toMatchObject({ rows: [{ type: 'refund.failed', isTest: true, status: 'pending' }], older: null });
});

test('saving the endpoint switches the retries for three days, and keeps them when the field is absent', async () => {
  const url = 'http://127.0.0.1:1/hook';
  const lane = async () => (await query('SELECT slow_lane FROM webhook_endpoints WHERE store_id = $1'))[0]?.slow_lane;
  expect(await lane()).toBe(false);
  for (const [sent, kept] of [
    [{ slow_lane: true }, true],
    [{}, true],
    [{ slow_lane: false }, false],
  ] as const) {
    expect((await post('/webhook', { url, ...sent })).status).toBe(200);
    expect([sent, await lane()]).toEqual([sent, kept]);
  }
});

test('pause and resume work, are distinguished and audited', async () => {
  expect((await post('/webhook/resume', {})).status).toBe(404);
  expect((await post('/webhook/pause', {})).status).toBe(200);
  expect((await post('/webhook/pause', {})).status).toBe(404);
  await recordEvent(accounts.context, store);
  expect((await post('/webhook/resume', {})).body).toEqual({ replayed: 1 });
  expect(await query('SELECT paused_at FROM webhook_endpoints WHERE store_id = $1')).toEqual([{ paused_at: null }]);
  expect((await audited()).slice(0, 2)).toEqual(['webhook.resume', 'webhook.pause']);
});

describe('optional events', () => {
  const chosen = async () =>
    (await query('SELECT optional_events FROM webhook_endpoints WHERE store_id = $1'))[0].optional_events;

  test('are off for a new endpoint until a developer selects them, with an audit entry', async () => {
    expect(await chosen()).toEqual([]);
    const events = ['payment.exception', 'payment.seen'];
    expect(await post('/webhook/optional-events', { events })).toEqual({
      status: 200,
      body: { events: ['payment.seen', 'payment.exception'] },
    });
    expect(await chosen()).toEqual(['payment.seen', 'payment.exception']);
    expect((await audited())[0]).toBe('webhook.optional_events');
    expect((await post('/webhook/optional-events', { events: [] })).body).toEqual({ events: [] });
    expect(await chosen()).toEqual([]);
  });

  test('cannot be a type of the contract or an unknown one, and need an endpoint', async () => {
    for (const events of [['payment.completed'], ['payment.other'], 'payment.seen', undefined])
      expect((await post('/webhook/optional-events', { events })).status).toBe(400);
    expect(await chosen()).toEqual([]);
    await query('DELETE FROM webhook_endpoints WHERE store_id = $1');
    expect((await post('/webhook/optional-events', { events: [] })).status).toBe(404);
  });

  test.each(['support', 'viewer'] as const)('cannot be chosen by the role %s', async (role) => {
    const { id } = await accounts.user();
    await accounts.member(store.storeId, id, role);
    cookie = await cookieOf(accounts.context, await accounts.login(id));
    expect((await post('/webhook/optional-events', { events: ['payment.seen'] })).status).toBe(403);
    expect(await chosen()).toEqual([]);
  });

  test('stay chosen when the endpoint gets another address', async () => {
    await post('/webhook/optional-events', { events: ['payment.partial'] });
    await setWebhookEndpoint(accounts.context, { ...store, url: `${URL_HERE}/other` });
    expect(await chosen()).toEqual(['payment.partial']);
  });

  test('can be sent as test events, chosen or not', async () => {
    for (const type of OPTIONAL_EVENTS) expect((await post('/test-events', { type })).status).toBe(200);
    const bodies = (await query('SELECT body FROM events WHERE store_id = $1 ORDER BY id')).map(({ body }) =>
      JSON.parse(body),
    );
    expect(bodies.map(({ type, test: isTest }) => [type, isTest])).toEqual(OPTIONAL_EVENTS.map((type) => [type, true]));
  });
});

describe('paste and verify', () => {
  const BODY = '{"id":"evt_1","type":"payment.completed","data":{"object":{"amount":1250}}}';
  const message = (secret: string) => ({
    eventId: 'evt_1',
    type: 'payment.completed',
    body: BODY,
    secret,
    previousSecret: null,
  });
  const pasted = (secret: string) => {
    const timestamp = unixSeconds(accounts.clock.now());
    const headers = signedHeaders(message(secret), { timestamp, nonce: randomUUID() });
    const text = Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n');
    const sign = (other: string) =>
      signatureOf(other, String(timestamp), String(headers['X-Service-Nonce']), BODY).toString('hex');
    return { headers: text, sign };
  };
  const stepOf = ({ body }: { body: Body }, name: string) => body.steps?.find(({ step }) => step === name);

  test('accepts a genuine request, and recognises by the signature which other secret was used', async () => {
    const live = await setWebhookEndpoint(accounts.context, { ...store, environment: 'live', url: URL_HERE });
    const { apiSecret } = await keyOf();
    const { headers, sign } = pasted(store.secret);
    const verified = await post('/webhook/verify', { headers, body: BODY });
    expect(verified.body.is_right).toBe(true);
    for (const [secret, name] of [
      [apiSecret, 'api'],
      [String(live.secret), 'other_environment'],
    ] as const) {
      const answer = await post('/webhook/verify', { headers, body: BODY, computed: ` ${sign(secret)} ` });
      expect(answer.body.is_right).toBe(true);
      expect(stepOf(answer, 'computed_signature')).toMatchObject({
        verdict: 'wrong',
        reason: 'would_fit',
        match: { secret: name },
      });
      for (const one of [store.secret, String(live.secret), apiSecret])
        expect(JSON.stringify(answer.body)).not.toContain(one);
      // The answer also omits the correct signature for the pasted request.
      expect(JSON.stringify(answer.body)).not.toContain(sign(store.secret));
    }
    const right = await post('/webhook/verify', { headers, body: BODY, computed: sign(store.secret) });
    expect(stepOf(right, 'computed_signature')).toMatchObject({ verdict: 'right', reason: 'signature_fits' });
  });

  test('recognises the former secret, also after its overlap', async () => {
    const { headers, sign } = pasted(store.secret);
    await post('/webhook/rotate', {});
    await query(`UPDATE webhook_endpoints SET previous_until = now() - interval '1 day' WHERE store_id = $1`);
    const answer = await post('/webhook/verify', { headers, body: BODY, computed: sign(store.secret) });
    expect(answer.body.is_right).toBe(false);
    expect(stepOf(answer, 'signature')?.match).toMatchObject({ secret: 'previous' });
  });

  test('tries no secret of another store, and has a limit', async () => {
    const other = await makeEndpoint(accounts.database, accounts.context, URL_HERE);
    const answer = await post('/webhook/verify', { headers: pasted(other.secret).headers, body: BODY });
    expect(stepOf(answer, 'signature')).toMatchObject({ verdict: 'wrong', reason: 'fits_nothing' });
    expect((await post('/webhook/verify', { headers: '', body: 'x'.repeat(16_001) })).status).toBe(400);
    const none = await makeStore(accounts.database, accounts.config);
    expect((await post('/webhook/verify', { headers: '', body: '' }, `${none.storeId}/test`)).status).toBe(404);
  });

  async function keyOf(): Promise<{ apiSecret: string }> {
    const made = await post('/keys', { name: 'Till' });
    return { apiSecret: String(made.body.api_secret) };
  }
});

test('an invalid parameter of the list’s address is refused by name', () => {
  expect(readDeliveryFilters({ q: 'evt_1', status: 'failed' })).toEqual({ eventId: 'evt_1', status: 'failed' });
  expect(readDeliveryFilters({ q: 'cs_test_1' })).toEqual({ sessionId: 'cs_test_1' });
  expect(readDeliveryFilters({ q: 'refund-1', status: '' })).toEqual({ refundId: 'refund-1' });
  for (const wrong of [{ status: 'lost' }, { status: ['failed', 'pending'] }])
    expect(() => readDeliveryFilters(wrong)).toThrow(
      expect.objectContaining({ code: 'INVALID_PARAMETER', param: 'status' }),
    );
});
