// A merchant whose verifier rejects a request learns why: the tests make every mistake that was seen in practice.

import { createHmac, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { signedHeaders } from '@/lib/webhooks/events/message';
import { verifyPasted, type PastedRequest } from './verify';
import type { Match, NamedSecret } from './verify-candidates';

const NOW = 1_800_000_000;
const SECRET = 'whsec_presentpresentpresent';
const SECRETS: readonly NamedSecret[] = [
  { name: 'present', secret: SECRET },
  { name: 'previous', secret: 'whsec_previousprevious' },
  { name: 'api', secret: 'as_test_secretsecretsecret' },
  { name: 'other_environment', secret: 'whsec_liveliveliveli' },
];
const BODY =
  '{"id":"evt_1800000000000000001","type":"payment.completed","created_at":1800000000,"data":{"object":{"order_id":"größe/1","amount":1250}}}';
const NONCE = randomUUID();
const message = { eventId: 'evt_1800000000000000001', type: 'payment.completed', body: BODY, secret: SECRET };

const sent = (over: Partial<Parameters<typeof signedHeaders>[0]> = {}) =>
  signedHeaders({ ...message, previousSecret: null, ...over }, { timestamp: NOW, nonce: NONCE });
const lines = (headers: Record<string, string>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');
const verify = (over: Partial<PastedRequest> & { signature?: string } = {}) => {
  const { signature, ...rest } = over;
  const headers = lines({ ...sent(), ...(signature === undefined ? {} : { 'X-Service-Signature': signature }) });
  return verifyPasted({ headers, body: BODY, secrets: SECRETS, now: NOW + 10, ...rest });
};
const stepOf = (result: ReturnType<typeof verify>, name: string) => result.steps.find(({ step }) => step === name)!;
const mac = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest();

test('the original request verifies in every step', () => {
  const result = verify();
  expect(result.isRight).toBe(true);
  expect(result.steps.map(({ step, verdict }) => [step, verdict])).toEqual([
    ['headers', 'right'],
    ['timestamp_form', 'right'],
    ['timestamp_age', 'right'],
    ['nonce', 'right'],
    ['event', 'right'],
    ['signature', 'right'],
    ['previous_signature', 'unknown'],
  ]);
});

test('a body changed anywhere never verifies, and the failed step is shown', () => {
  fc.assert(
    fc.property(fc.nat(BODY.length - 1), fc.constantFrom('x', '0', ' ', '}'), (at, by) => {
      const body = `${BODY.slice(0, at)}${by}${BODY.slice(at + 1)}`;
      fc.pre(body !== BODY);
      const result = verify({ body });
      expect(result.isRight).toBe(false);
      expect(stepOf(result, 'signature').verdict).toBe('wrong');
    }),
  );
});

describe('the combination that matches is named:', () => {
  const text = `${NOW}.${NONCE}.`;
  const parsed = JSON.parse(BODY);
  const right = mac(SECRET, `${text}${BODY}`);
  const hex = (secret: string, signed: string) => mac(secret, signed).toString('hex');
  test.each<[string, { signature?: string; body?: string }, Partial<Match>]>([
    ['the body was pasted pretty-printed', { body: JSON.stringify(parsed, null, 2) }, { body: 'compact' }],
    ['the body was pasted with a line end', { body: `${BODY}\n` }, { body: 'compact' }],
    [
      'he signed a pretty-printed body',
      { signature: hex(SECRET, text + JSON.stringify(parsed, null, 2)) },
      { body: 'pretty' },
    ],
    ['he signed a body with a line end', { signature: hex(SECRET, `${text}${BODY}\n`) }, { body: 'with_newline' }],
    [
      'he signed a body with its fields sorted',
      {
        signature: hex(
          SECRET,
          `${text}{"created_at":1800000000,"data":{"object":{"amount":1250,"order_id":"größe/1"}},"id":"evt_1800000000000000001","type":"payment.completed"}`,
        ),
      },
      { body: 'sorted' },
    ],
    [
      'he escaped what is not ASCII',
      { signature: hex(SECRET, text + BODY.replace('ö', '\\u00f6').replace('ß', '\\u00df')) },
      { body: 'ascii_escaped' },
    ],
    ['he escaped slashes', { signature: hex(SECRET, text + BODY.replace('/', '\\/')) }, { body: 'slashes_escaped' }],
    ['he signed an empty body', { signature: hex(SECRET, text) }, { body: 'empty' }],
    ['the previous secret', { signature: hex('whsec_previousprevious', text + BODY) }, { secret: 'previous' }],
    ['the API secret', { signature: hex('as_test_secretsecretsecret', text + BODY) }, { secret: 'api' }],
    [
      'the other environment’s secret',
      { signature: hex('whsec_liveliveliveli', text + BODY) },
      { secret: 'other_environment' },
    ],
    [
      'the secret without whsec_',
      { signature: hex('presentpresentpresent', text + BODY) },
      { form: 'secret_without_prefix' },
    ],
    ['no nonce', { signature: hex(SECRET, `${NOW}.${BODY}`) }, { form: 'no_nonce' }],
    ['no timestamp', { signature: hex(SECRET, `${NONCE}.${BODY}`) }, { form: 'no_timestamp' }],
    ['no dots', { signature: hex(SECRET, `${NOW}${NONCE}${BODY}`) }, { form: 'no_dots' }],
    ['another order', { signature: hex(SECRET, `${NONCE}.${NOW}.${BODY}`) }, { form: 'nonce_first' }],
    ['the body alone', { signature: hex(SECRET, BODY) }, { form: 'body_only' }],
    ['capital letters', { signature: right.toString('hex').toUpperCase() }, { notation: 'uppercase_hex' }],
    ['base64', { signature: right.toString('base64') }, { notation: 'base64' }],
    ['base64url', { signature: right.toString('base64url') }, { notation: 'base64url' }],
    ['a prefix', { signature: `sha256=${right.toString('hex')}` }, { notation: 'prefixed' }],
    [
      'SHA-1',
      {
        signature: createHmac('sha1', SECRET)
          .update(text + BODY)
          .digest('hex'),
      },
      { notation: 'plain_sha1' },
    ],
    [
      'two mistakes at once',
      { signature: mac('as_test_secretsecretsecret', `${NOW}.${BODY}`).toString('base64') },
      { secret: 'api', form: 'no_nonce', notation: 'base64' },
    ],
  ])('%s', (_, over, match) => {
    const result = verify(over);
    const documented = { secret: 'present', body: 'raw', form: 'documented', notation: 'hex' };
    expect(result.isRight).toBe(false);
    expect(stepOf(result, 'signature')).toMatchObject({
      verdict: 'wrong',
      reason: 'would_fit',
      match: { ...documented, ...match },
    });
  });

  test('and a signature that matches nothing is reported as such', () => {
    expect(stepOf(verify({ signature: 'ab'.repeat(32) }), 'signature')).toMatchObject({
      verdict: 'wrong',
      reason: 'fits_nothing',
      match: null,
    });
  });
});

describe('headers', () => {
  const without = (name: string) => lines(Object.fromEntries(Object.entries(sent()).filter(([one]) => one !== name)));
  test('that are missing are named, and the checks that depend on them are skipped', () => {
    const result = verify({ headers: without('X-Service-Nonce') });
    expect(stepOf(result, 'headers')).toMatchObject({ verdict: 'wrong', details: { headers: 'x-service-nonce' } });
    expect(stepOf(result, 'nonce').verdict).toBe('unknown');
    expect(stepOf(verify({ headers: '' }), 'headers').details.headers).toContain('x-service-signature');
  });
  test('that occur twice are named', () => {
    expect(stepOf(verify({ headers: `${lines(sent())}\nx-service-nonce: 1` }), 'headers').reason).toBe('repeated');
  });
  test.each([
    ['JSON', JSON.stringify(sent(), null, 2)],
    [
      'a shell’s',
      Object.entries(sent())
        .map(([name, value]) => `'${name}: ${value}'`)
        .join('\r\n'),
    ],
    [
      'PHP’s',
      Object.entries(sent())
        .map(([name, value]) => `HTTP_${name.toUpperCase().replaceAll('-', '_')}=${value}`)
        .join('\n'),
    ],
    ['a raw request’s', `POST /hook HTTP/1.1\nHost: shop.example\n${lines(sent())}\n\n`],
  ])('are read from %s notation', (_, headers) => {
    expect(verify({ headers }).isRight).toBe(true);
  });
});

describe('the timestamp', () => {
  test.each([
    [0, 'recent'],
    [300, 'recent'],
    [301, 'too_old'],
    [-300, 'recent'],
    [-301, 'in_the_future'],
  ])('%i s after signing is %s', (seconds, reason) => {
    const result = verify({ now: NOW + seconds });
    expect(stepOf(result, 'timestamp_age').reason).toBe(reason);
    expect(result.isRight).toBe(reason === 'recent');
  });
  test.each([
    ['1800000000000', 'milliseconds'],
    ['2027-01-15T08:00:00Z', 'not_seconds'],
  ])('%s is %s', (timestamp, reason) => {
    const result = verify({ headers: lines({ ...sent(), 'X-Service-Timestamp': timestamp }) });
    expect(stepOf(result, 'timestamp_form').reason).toBe(reason);
    expect(stepOf(result, 'timestamp_age').verdict).toBe('unknown');
  });
});

test('headers and a body of two different events are distinguished from a wrong signature', () => {
  const other = BODY.replace('0001"', '0002"');
  expect(stepOf(verify({ body: other }), 'event')).toMatchObject({ verdict: 'wrong', reason: 'event_differs' });
  expect(stepOf(verify({ body: 'a=b' }), 'event')).toMatchObject({ verdict: 'wrong', reason: 'body_not_json' });
});

test('during the overlap of a rotation the second signature is checked with the previous secret', () => {
  const headers = lines(sent({ previousSecret: 'whsec_previousprevious' }));
  expect(stepOf(verify({ headers }), 'previous_signature').verdict).toBe('right');
});

test('any pasted text gets a result, and no result contains a secret', () => {
  fc.assert(
    fc.property(fc.string(), fc.string({ unit: 'binary' }), (headers, body) => {
      const said = JSON.stringify(verifyPasted({ headers, body, secrets: SECRETS, now: NOW }));
      for (const { secret } of SECRETS) expect(said).not.toContain(secret);
    }),
  );
});

test.each([
  ['arrays in arrays', '['.repeat(7000) + ']'.repeat(7000)],
  ['objects in objects', `${'{"a":'.repeat(2200)}1${'}'.repeat(2200)}`],
  ['a long list deep down', `${'['.repeat(15)}${'1,'.repeat(7900)}1${']'.repeat(15)}`],
  ['a long list too deep', `${'['.repeat(100)}${'1,'.repeat(7900)}1${']'.repeat(100)}`],
])('the cost of a pasted body does not depend on its shape: %s', (_, body) => {
  const before = performance.now();
  expect(verify({ body, signature: 'ab'.repeat(32) }).isRight).toBe(false);
  expect(performance.now() - before).toBeLessThan(2000);
});
