// Webhooks signed by the product and verified by the SDK: genuine ones are accepted, and none that differs by a single byte.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { signatureOf } from '@/lib/platform/crypto';
import { optionalEventBody, paymentEventBody } from '@/lib/webhooks/events/events';
import { signedHeaders } from '@/lib/webhooks/events/message';
import { WebhookVerificationError } from './errors';
import { verifyWebhook, type Delivery } from './verify-webhook';

const NOW = 1_800_000_000;
const receivedAt = new Date(NOW * 1000);
const NONCE = '0b5fbd3e-6a5c-4b0e-9a44-2f3f5c3f9a10';
const facts = {
  sessionId: 'cs_test_1',
  orderId: 'Bestellung № 7 · 订单',
  amountDue: 1250n,
  currency: 'USDT',
  exchangeRate: null,
  network: 'tron',
  transactionHash: 'ab'.repeat(32),
  amountReceived: 1250n,
};
const BODY = paymentEventBody('payment.completed', facts, { id: 'evt_1800000000000000000', now: receivedAt });

/** What the product sends. */
function sent({ body = BODY, secret = 'whsec_new', previousSecret = null as string | null, timestamp = NOW } = {}) {
  const message = { eventId: 'evt_1800000000000000000', type: 'payment.completed', body, secret, previousSecret };
  return { body, headers: signedHeaders(message, { timestamp, nonce: NONCE }), secret: 'whsec_new', receivedAt };
}

const faultOf = (delivery: Delivery): Promise<unknown> =>
  verifyWebhook(delivery).then(
    () => 'believed',
    (error: unknown) => (error instanceof WebhookVerificationError ? [error.code, error.param] : error),
  );

describe('a genuine delivery', () => {
  const { headers } = sent();
  const bytes = Buffer.from(BODY);
  const padded = new Uint8Array([1, 2, ...bytes, 3]);
  const lower = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

  test('is returned as its typed event', async () => {
    const event = await verifyWebhook(sent());
    if (event.type !== 'payment.completed') throw new Error('another type');
    expect(event.data.object.amount_received).toBe(1250);
    expect(event).toEqual(JSON.parse(BODY));
  });

  test('of an optional event has the fields of its payment', async () => {
    const { amountDue, currency, exchangeRate, network, transactionHash, sessionId, orderId } = facts;
    const payment = { amountDue, currency, exchangeRate, network, transactionHash, sessionId, orderId };
    const reported = {
      ...payment,
      status: 'completed' as const,
      amountReceived: 1500n,
      paymentAmount: 1500n,
      exception: { id: '42', kind: 'over', amount: 250n },
    };
    const body = optionalEventBody('payment.exception', reported, { id: 'evt_1800000000000000000', now: receivedAt });
    const event = await verifyWebhook(sent({ body }));
    if (event.type !== 'payment.exception') throw new Error('another type');
    const { object } = event.data;
    expect([object.status, object.payment_amount, object.exception_id, object.exception_kind]).toEqual([
      ...['completed', 1500, '42', 'over'],
    ]);
    expect(object.exception_amount).toBe(250);
  });

  test.each<[string, Partial<Delivery>]>([
    ['as text', { body: BODY }],
    ['as a Buffer', { body: bytes }],
    ['as a view into larger memory', { body: padded.subarray(2, -1) }],
    ['as an ArrayBuffer', { body: Uint8Array.from(bytes).buffer }],
    ['with a Headers object', { headers: new Headers(headers) }],
    ['with names in lower case', { headers: lower }],
    ['with values in lists', { headers: Object.fromEntries(Object.entries(lower).map(([n, v]) => [n, [v]])) }],
    ['with upper-case digits', { headers: { ...headers, 'X-Service-Signature': upper(headers) } }],
  ])('is accepted %s', async (_, over) => {
    expect((await verifyWebhook({ ...sent(), ...over })).id).toBe('evt_1800000000000000000');
  });

  test.each([-300, 300])('is accepted %i s away, and not one second more', async (away) => {
    const at = (seconds: number) => ({ ...sent(), receivedAt: new Date((NOW + seconds) * 1000) });
    expect((await verifyWebhook(at(away))).type).toBe('payment.completed');
    expect(await faultOf(at(away + Math.sign(away)))).toEqual(['timestamp_out_of_range', 'X-Service-Timestamp']);
    expect((await verifyWebhook({ ...at(away * 2), tolerance: 600 })).type).toBe('payment.completed');
    expect(await faultOf({ ...at(away), tolerance: 299 })).toEqual(['timestamp_out_of_range', 'X-Service-Timestamp']);
  });

  test('is checked against the machine’s clock by default', async () => {
    const { receivedAt: _, ...late } = sent();
    expect(await faultOf(late)).toEqual(['timestamp_out_of_range', 'X-Service-Timestamp']);
    const { receivedAt: __, ...fresh } = sent({ timestamp: Math.floor(Date.now() / 1000) });
    expect((await verifyWebhook(fresh)).type).toBe('payment.completed');
  });
});

describe('while a secret is rotated', () => {
  const rotating = sent({ secret: 'whsec_new', previousSecret: 'whsec_old' });

  test.each<[string, Partial<Delivery>]>([
    ['the new secret', { secret: 'whsec_new' }],
    ['the old secret', { secret: 'whsec_old' }],
    ['both', { secret: 'whsec_new', previousSecret: 'whsec_old' }],
  ])('a receiver that knows %s accepts deliveries signed with both', async (_, known) => {
    expect((await verifyWebhook({ ...rotating, ...known })).type).toBe('payment.completed');
  });

  test('a receiver that knows both accepts deliveries signed with either alone', async () => {
    const known = { secret: 'whsec_new', previousSecret: 'whsec_old' };
    for (const secret of ['whsec_new', 'whsec_old']) {
      expect((await verifyWebhook({ ...sent({ secret }), ...known })).type).toBe('payment.completed');
    }
  });

  test('a third secret is accepted in neither header', async () => {
    expect(await faultOf({ ...rotating, secret: 'whsec_third' })).toEqual([
      'signature_mismatch',
      'X-Service-Signature',
    ]);
  });
});

describe('a delivery is refused with the part that failed:', () => {
  const { headers } = sent();
  const without = (name: string) => ({ ...headers, [name]: undefined });

  test.each(['X-Service-Signature', 'X-Service-Timestamp', 'X-Service-Nonce'])('%s is missing', async (name) => {
    expect(await faultOf({ ...sent(), headers: without(name) })).toEqual(['missing_header', name]);
    expect(await faultOf({ ...sent(), headers: { ...headers, [name]: '' } })).toEqual(['missing_header', name]);
    const twice = { ...without(name), [name.toLowerCase()]: [headers[name] ?? '', headers[name] ?? ''] };
    expect(await faultOf({ ...sent(), headers: twice })).toEqual(['invalid_header', name]);
  });

  test.each([
    ['X-Service-Timestamp', '1.8e9'],
    ['X-Service-Timestamp', '18000000000'],
    ['X-Service-Timestamp', ' 1800000000'],
    ['X-Service-Nonce', 'a.b'],
    ['X-Service-Nonce', 'a b'],
    ['X-Service-Nonce', 'x'.repeat(256)],
    ['X-Service-Signature', 'zz'.repeat(32)],
    ['X-Service-Signature', 'ab'.repeat(33)],
    ['X-Service-Signature-Previous', 'ab'],
  ])('%s is "%s"', async (name, value) => {
    expect(await faultOf({ ...sent(), headers: { ...headers, [name]: value } })).toEqual(['invalid_header', name]);
  });

  test('the body was parsed and serialized again', async () => {
    const body = JSON.stringify(JSON.parse(BODY), null, 2);
    await expect(verifyWebhook({ ...sent(), body })).rejects.toThrow(/parsed and written again.*raw bytes/);
  });

  test('the body was already parsed by a framework', async () => {
    const body = JSON.parse(BODY) as string;
    expect(await faultOf({ ...sent(), body })).toEqual(['body_not_raw', null]);
  });

  const noEvents = ['{}', '{"id":"evt_1","type":"x"}', '{"id":"evt_1","type":"x","data":{}}'];
  const wrongTypes = ['{"id":1,"type":"x","data":{"object":{}}}', '{"id":"evt_1","type":1,"data":{"object":{}}}'];
  test.each(['', 'null', '[]', '\u{feff}{}', ...noEvents, ...wrongTypes])(
    'it is genuine but contains no event: %j',
    async (body) => expect(await faultOf(sent({ body }))).toEqual(['invalid_body', null]),
  );

  test('it is genuine but not UTF-8', async () => {
    const body = Uint8Array.of(0x22, 0xff, 0x22);
    const signature = signatureOf('whsec_new', String(NOW), NONCE, body).toString('hex');
    const delivery = { ...sent(), body, headers: { ...headers, 'X-Service-Signature': signature } };
    expect(await faultOf(delivery)).toEqual(['invalid_body', null]);
  });

  test.each<[string, Partial<Delivery>]>([
    ['no secret', { secret: undefined as unknown as string }],
    ['an empty secret', { secret: '' }],
    ['an empty secret before the last rotation', { previousSecret: '' }],
    ['a tolerance that is no number', { tolerance: Number.NaN }],
    ['a tolerance below zero', { tolerance: -1 }],
    ['an endless tolerance', { tolerance: Infinity }],
  ])('%s is an error of the program, not of the delivery', async (_, over) => {
    await expect(verifyWebhook({ ...sent(), ...over })).rejects.toThrow(
      expect.objectContaining({ name: 'TypeError', message: expect.stringMatching(/^(secret|tolerance) must be/) }),
    );
  });

  test('a tolerance of zero seconds accepts only the second of the signature', async () => {
    const at = (seconds: number) => ({ ...sent(), receivedAt: new Date((NOW + seconds) * 1000), tolerance: 0 });
    expect((await verifyWebhook(at(0))).type).toBe('payment.completed');
    expect(await faultOf(at(1))).toEqual(['timestamp_out_of_range', 'X-Service-Timestamp']);
  });
});

describe('for every body, secret and nonce', () => {
  const json = fc.record({ id: fc.string(), type: fc.string(), data: fc.record({ object: fc.object() }) });
  const nonce = fc.stringMatching(/^[!-\-/-~]{1,60}$/);
  const secret = fc.string({ minLength: 1, unit: 'binary' });
  const delivery = fc.tuple(json, secret, nonce).map(([event, key, once]) => {
    const body = Buffer.from(JSON.stringify(event));
    const signature = signatureOf(key, String(NOW), once, body).toString('hex');
    const headers = { 'x-service-timestamp': String(NOW), 'x-service-nonce': once, 'x-service-signature': signature };
    return { body, headers, secret: key, receivedAt };
  });

  test('deliveries signed by the product are accepted', async () => {
    await fc.assert(
      fc.asyncProperty(delivery, async (one) => {
        expect(await verifyWebhook(one)).toEqual(JSON.parse(one.body.toString()));
      }),
    );
  });

  test('any changed, added or lost byte of the body is refused', async () => {
    const change = fc.record({
      at: fc.nat(),
      by: fc.integer({ min: 1, max: 255 }),
      how: fc.constantFrom('change', 'add', 'lose'),
    });
    await fc.assert(
      fc.asyncProperty(delivery, change, async (one, { at, by, how }) => {
        const bytes = [...one.body];
        const place = at % bytes.length;
        const byte = (bytes[place] ?? 0) ^ by;
        const inserted = how === 'change' ? [byte] : how === 'add' ? [byte, bytes[place] ?? 0] : [];
        bytes.splice(place, 1, ...inserted);
        expect(await faultOf({ ...one, body: Uint8Array.from(bytes) })).toEqual([
          'signature_mismatch',
          'X-Service-Signature',
        ]);
      }),
    );
  });

  test('any changed character of a signed header is refused', async () => {
    const names = ['x-service-timestamp', 'x-service-nonce', 'x-service-signature'] as const;
    const change = fc.record({ name: fc.constantFrom(...names), at: fc.nat(), to: fc.stringMatching(/^[!-~]$/) });
    await fc.assert(
      fc.asyncProperty(delivery, change, async (one, { name, at, to }) => {
        const value = one.headers[name];
        const place = at % value.length;
        const changed = value.slice(0, place) + to + value.slice(place + 1);
        fc.pre(changed.toLowerCase() !== value.toLowerCase() || name === 'x-service-nonce');
        fc.pre(changed !== value);
        const fault = await faultOf({ ...one, headers: { ...one.headers, [name]: changed } });
        expect(fault).toEqual([
          expect.stringMatching(/^(signature_mismatch|invalid_header|timestamp_out_of_range)$/),
          expect.any(String),
        ]);
      }),
      { numRuns: 300 },
    );
  });

  test('another secret is refused, and no error shows either', async () => {
    await fc.assert(
      fc.asyncProperty(delivery, fc.uuid(), async (one, other) => {
        const error: unknown = await verifyWebhook({ ...one, secret: `whsec_${other}` }).catch(
          (fault: unknown) => fault,
        );
        expect(error).toBeInstanceOf(WebhookVerificationError);
        expect(`${String(error)}${JSON.stringify(error)}`).not.toContain(other);
      }),
    );
  });
});

function upper(headers: Record<string, string>): string {
  return (headers['X-Service-Signature'] ?? '').toUpperCase();
}
