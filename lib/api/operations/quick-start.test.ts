import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { minorUnitsToText } from '@/lib/money/amounts';
import type { ApiResponse } from '@/lib/platform/http';
import { inMinorUnits } from '@/lib/payments/sessions/create/quick-start';
import { json, openApi } from '@/testing/api-scene';
import type { TestDatabase } from '@/testing/database/database';
import { makeStore, signedRequest, TestClock, testConfig, type TestStore } from '@/testing/fixtures';
import { answer } from '@/lib/api/answer';
import type { Services } from '@/lib/api/services';
import { CURRENT_VERSION } from '@/lib/api/version';
import { answerAsNext } from '@/testing/next-handlers';

const CREATE = '/api/v1/checkout/sessions/create';
const NOWHERE = '/api/v1/checkout/sessions/cs_test_33333333333333333333333333333333';
// 15 January 2027, 08:00:00 UTC.
const clock = new TestClock(1_800_000_000);
// The public test networks: Ethereum's has USDC alone, TRON's has USDT alone.
const config = testConfig({ TEST_TRON_URLS: 'http://127.0.0.1:1', TEST_CHAINS: 'public' });
let db: TestDatabase;
let services: Services;
let one: TestStore;
let two: TestStore;

beforeAll(async () => {
  const networks = ['ethereum', 'bsc', 'tron'];
  ({ db, services, store: one, other: two } = await openApi({ clock, config, networks, addresses: 100 }));
});
afterAll(() => db.close());

type Change = Parameters<typeof signedRequest>[1];
const draft = (over: object = {}) => ({
  amount: '12.50',
  currency: 'USD',
  order_id: randomUUID(),
  mode: 'payment',
  ...over,
});
const call = (change: Partial<Change> & { path: string }, store = one) =>
  answer(services, signedRequest(store, { now: clock.now(), ...change }));
const create = (over: object = {}, change: Partial<Change> = {}) =>
  call({ path: CREATE, body: JSON.stringify(draft(over)), ...change });
const made = async (over: object = {}) => json(await create(over)).session.session_id as string;
const rowOf = (id: string) => db.prisma.session.findUniqueOrThrow({ where: { id } });
const pathOf = (id: string, slash = '/') => `/v1/payment/sessions/${id}${slash}`;

/** The status, code and param of a refusal that has the envelope and its base. */
function refusalOf(response: ApiResponse): unknown[] {
  const { base, error, request_id: requestId } = json(response);
  expect(base).toEqual({ code: response.status, message: error.message });
  expect(response.headers['X-Request-Id']).toBe(requestId);
  return [response.status, error.code, error.param];
}

describe('a create request', () => {
  test('is the variant by each of its fields alone, and gets a response in its shape', async () => {
    const marks = [
      { mode: 'payment' },
      { mode: undefined, payment_method_types: ['crypto'] },
      { mode: undefined, payment_method_options: { crypto: { currency: 'USDT' } } },
      { mode: undefined, payment_method_options: {} },
    ];
    for (const mark of marks) {
      const answered = json(await create(mark));
      expect(answered.base).toEqual({ code: 0, message: 'success' });
      expect(Object.keys(answered.session)).toEqual([
        'session_id',
        'order_id',
        'payment_status',
        'created',
        'status',
        'url',
        'created_at',
        'expires_at',
      ]);
    }
    const plain = { amount: 1250, currency: 'USD', order_id: randomUUID() };
    expect(json(await call({ path: CREATE, body: JSON.stringify(plain) }))).toMatchObject({ amount_total: 1250 });
  });

  test('is not the variant by a decimal text alone, which is refused; with Service-Version it is', async () => {
    const body = () => JSON.stringify({ amount: '12.50', currency: 'USD', order_id: randomUUID() });
    const refused = json(await call({ path: CREATE, body: body() }));
    expect([refused.base, refused.error.code, refused.error.param]).toEqual([undefined, 'INVALID_AMOUNT', 'amount']);
    const answered = json(await call({ path: CREATE, body: body(), headers: { 'service-version': CURRENT_VERSION } }));
    expect(await rowOf(answered.session.session_id)).toMatchObject({ amountTotal: 1250n });
  });

  test('accepts integers as minor units, beside decimal texts in major units', async () => {
    const item = { price_data: { currency: 'usd', unit_amount: 525, product_data: { name: 'Mug' } }, quantity: 2 };
    const id = await made({ amount: 1250, line_items: [item], tax_amount: '1.00', shipping_amount: 100 });
    expect(await rowOf(id)).toMatchObject({ amountTotal: 1250n, taxAmount: 100n, shippingAmount: 100n });
  });

  test('makes the session that the main shape would make', async () => {
    const id = await made({ amount: '19.9', currency: 'usdc', expires_in: 300 });
    const session = json(await call({ method: 'GET', path: `/api/v1/checkout/sessions/${id}` }));
    expect(session).toMatchObject({ amount_total: 1990, currency: 'USDC', status: 'PENDING' });
    expect(session.expires_at - session.created).toBe(300);
    expect(await rowOf(id)).toMatchObject({ currencies: ['USDC'], networks: ['bsc', 'ethereum'] });
  });

  test('counts line items, tax and shipping in major units too', async () => {
    const item = { price_data: { currency: 'usd', unit_amount: '5.25', product_data: { name: 'Mug' } }, quantity: 2 };
    const id = await made({ amount: '12.50', line_items: [item], tax_amount: '1.00', shipping_amount: '1' });
    expect(await rowOf(id)).toMatchObject({ amountTotal: 1250n, taxAmount: 100n, shippingAmount: 100n });
    expect(refusalOf(await create({ amount: '12.49', line_items: [item], tax_amount: '2' }))).toEqual([
      400,
      'AMOUNT_MISMATCH',
      'amount',
    ]);
  });

  test.each([
    ['12.345', 'USD'],
    ['1.5', 'JPY'],
    ['1.0', 'JPY'],
    ['1.2345', 'KWD'],
    ['10000000000000.01', 'USD'],
    ['90071992547409.93', 'USD'],
    ['9'.repeat(200), 'USD'],
    ['0', 'USD'],
    ['0.00', 'USD'],
    ['-1', 'USD'],
    ['+1', 'USD'],
    ['1e2', 'USD'],
    ['1,000', 'USD'],
    [' 1', 'USD'],
    ['1\n', 'USD'],
    ['', 'USD'],
    ['.', 'USD'],
    ['.5', 'USD'],
    ['5.', 'USD'],
    ['01', 'USD'],
    ['NaN', 'USD'],
    ['0x10', 'USD'],
    ['１２', 'USD'],
    [12.5, 'USD'],
    [null, 'USD'],
    [undefined, 'USD'],
    [['1'], 'USD'],
  ])('is refused for the ambiguous or invalid amount %j of %s', async (amount, currency) => {
    expect(refusalOf(await create({ amount, currency }))).toEqual([400, 'INVALID_AMOUNT', 'amount']);
  });

  test('reads back every amount of every number of digits exactly', () => {
    const digits = fc.constantFrom(['JPY', 0] as const, ['USD', 2] as const, ['KWD', 3] as const, ['CLF', 4] as const);
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), digits, (units, [currency, count]) => {
        const text = minorUnitsToText(units, count);
        expect(inMinorUnits({ amount: text, currency }).amount).toBe(Number(units));
        expect(inMinorUnits({ amount: `${text}${count === 0 ? '.0' : '0'}`, currency }).amount).toBeNull();
      }),
    );
  });

  test.each([
    [{ mode: 'subscription' }, 'INVALID_PARAMETER', 'mode'],
    [{ payment_method_types: ['card'] }, 'INVALID_PARAMETER', 'payment_method_types[0]'],
    [{ payment_method_types: 'crypto' }, 'INVALID_PARAMETER', 'payment_method_types'],
    [{ payment_method_types: [] }, 'INVALID_PARAMETER', 'payment_method_types'],
    [{ payment_method_options: { crypto: 'tron' } }, 'INVALID_PARAMETER', 'payment_method_options.crypto'],
    [{ expires_in: 30 }, 'INVALID_PARAMETER', 'expires_in'],
    [{ currency: 'ZZZ' }, 'INVALID_CURRENCY', 'currency'],
    [{ currency: 5 }, 'INVALID_CURRENCY', 'currency'],
  ])('with %j is refused in envelope and base', async (over, code, param) => {
    expect(refusalOf(await create(over))).toEqual([400, code, param]);
  });

  test('with an order id of the other shape is a duplicate', async () => {
    const body = { amount: 1250, currency: 'USD', order_id: randomUUID() };
    await call({ path: CREATE, body: JSON.stringify(body) });
    expect(refusalOf(await create({ order_id: body.order_id }))).toEqual([400, 'DUPLICATE_ORDER_ID', 'order_id']);
  });

  test('repeated with its Idempotency-Key gets the first answer, byte for byte', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const body = JSON.stringify(draft());
    const answers = await Promise.all([1, 2, 3].map(() => call({ path: CREATE, body, headers })));
    expect(new Set(answers.map((response) => response.body)).size).toBe(1);
    expect(json(answers[0] as ApiResponse).base.code).toBe(0);
  });

  test('that fails authentication says so in envelope and base as well', async () => {
    const headers = { 'x-service-signature': '0'.repeat(64) };
    expect(refusalOf(await create({}, { headers }))).toEqual([401, 'invalid_signature', 'X-Service-Signature']);
    expect(json(await call({ path: CREATE, body: '{"mode":', headers })).base).toBeUndefined();
  });
});

describe('the requested network and token', () => {
  const options = (crypto: object) => ({ payment_method_options: { crypto } });

  test('are the only ones offered', async () => {
    const session = await rowOf(await made(options({ network: 'tron', currency: 'usdt' })));
    expect([session.networks, session.currencies]).toEqual([['tron'], ['USDT']]);
  });

  test('may be named one without the other', async () => {
    const network = await rowOf(await made(options({ network: 'BSC' })));
    expect([network.networks, network.currencies]).toEqual([['bsc'], ['USDT', 'USDC']]);
    const token = await rowOf(await made(options({ currency: 'USDC' })));
    expect([token.networks, token.currencies]).toEqual([['bsc', 'ethereum'], ['USDC']]);
  });

  test.each([
    [{ network: 'bitcoin' }, 'network'],
    [{ network: 'solana' }, 'network'],
    [{ network: '' }, 'network'],
    [{ network: 5 }, 'network'],
    [{ network: 'tron', currency: 'USDC' }, 'network'],
    [{ network: 'tron', currency: 'DAI' }, 'currency'],
  ])('are refused when they are not offered: %j', async (crypto, field) => {
    const param = `payment_method_options.crypto.${field}`;
    expect(refusalOf(await create(options(crypto)))).toEqual([400, 'INVALID_PARAMETER', param]);
  });

  test('never pay a price in one token with the other', async () => {
    const param = 'payment_method_options.crypto.currency';
    const refused = await create({ currency: 'USDT', ...options({ currency: 'USDC' }) });
    expect(refusalOf(refused)).toEqual([400, 'INVALID_PARAMETER', param]);
  });

  test('are refused on a network that the store does not take payments on', async () => {
    const store = await makeStore(db, config);
    await db.prisma.store.update({ where: { id: store.storeId }, data: { networks: ['bsc'] } });
    const asked = (network: string) => call({ path: CREATE, body: JSON.stringify(draft(options({ network }))) }, store);
    const param = 'payment_method_options.crypto.network';
    expect(refusalOf(await asked('ethereum'))).toEqual([400, 'INVALID_PARAMETER', param]);
    expect((await rowOf(json(await asked('bsc')).session.session_id)).networks).toEqual(['bsc']);
  });

  test('never leave a session that nothing can pay', async () => {
    await db.prisma.store.update({ where: { id: two.storeId }, data: { usdCurrencies: ['USDC'] } });
    const body = JSON.stringify(draft(options({ network: 'tron' })));
    const param = 'payment_method_options.crypto.network';
    expect(refusalOf(await call({ path: CREATE, body }, two))).toEqual([400, 'INVALID_PARAMETER', param]);
  });
});

describe('the quick-start path', () => {
  test.each([['/'], ['']])('reads a session of either shape with %j at its end', async (slash) => {
    const plain = JSON.stringify({ amount: 5, currency: 'USD', order_id: randomUUID() });
    for (const id of [await made(), json(await call({ path: CREATE, body: plain })).id as string]) {
      const response = await call({ method: 'GET', path: pathOf(id, slash) });
      expect([response.status, json(response).session.session_id]).toEqual([200, id]);
      expect(json(response).session).toMatchObject({ status: 'PENDING', payment_status: 'unpaid' });
    }
  });

  test('returns for a foreign session what it returns for an unknown one', async () => {
    const path = pathOf(await made());
    expect(refusalOf(await call({ method: 'GET', path }, two))).toEqual([404, 'SESSION_NOT_FOUND', 'session_id']);
    expect(refusalOf(await call({ method: 'GET', path: pathOf('cs_test_x') }, two))[0]).toBe(404);
  });

  test('is for GET only, and has no other path beside it', async () => {
    for (const slash of ['/', '']) {
      const refused = await call({ path: pathOf('cs_test_x', slash), body: '{}' });
      expect([refused.status, refused.headers.Allow]).toEqual([405, 'GET']);
    }
    const beside = ['/v1', '/v1/', '/v1/payment/sessions/', pathOf('cs_test_x', '//'), pathOf('cs_test_x', '/cancel')];
    for (const path of beside) expect(refusalOf(await call({ method: 'GET', path }))[0]).toBe(404);
  });
});

describe('Service-Version', () => {
  const asked = (version: string | string[]) =>
    call({ method: 'GET', path: NOWHERE, headers: { 'service-version': version } });

  test.each([['2024-02-29'], ['2026-01-01'], ['2027-01-15'], ['9999-12-31']])('accepts %s', async (version) => {
    expect((await asked(version)).status).toBe(404);
  });

  test.each([
    ['latest'],
    ['2026-02-30'],
    ['2025-02-29'],
    ['2026-1-1'],
    ['20260101'],
    ['2026-01-01T00:00:00Z'],
    ['+002026-01-01'],
    [''],
    [['2026-01-01', '2026-01-01']],
  ])('%s is refused', async (version) => {
    const response = await asked(version);
    expect([response.status, json(response).error.code]).toEqual([400, 'INVALID_VERSION']);
    expect(json(response).error.param).toBe('Service-Version');
  });

  test('is in every response through Next too, as the version that was applied', async () => {
    const { method, path, header } = signedRequest(one, { method: 'GET', path: pathOf('cs_test_x'), now: clock.now() });
    const names = ['authorization', 'x-service-timestamp', 'x-service-nonce', 'x-service-signature'];
    const headers = names.map((name): [string, string] => [name, header(name)[0] as string]);
    const response = await answerAsNext(
      services,
      new Request(`http://127.0.0.1:3000${path}`, { method, headers: [...headers, ['Service-Version', '2026-01-01']] }),
    );
    expect([response.status, response.headers.get('service-version')]).toEqual([404, CURRENT_VERSION]);
    expect((await call({ method: 'GET', path: '/api/nothing' })).headers['Service-Version']).toBe(CURRENT_VERSION);
  });
});
