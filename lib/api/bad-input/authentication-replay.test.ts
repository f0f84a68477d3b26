// Rows S-14 to S-35 of docs/failure-model.md#authentication: what the signature covers, and that a request counts
// once.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { authenticate } from '@/lib/merchants/api-keys/authenticate';
import { clearSpent } from '@/lib/merchants/api-keys/nonces';
import { ServiceError } from '@/lib/platform/errors/errors';
import { newWebhookSecret } from '@/lib/platform/ids';
import { makeStore, signedRequest } from '@/testing/fixtures';
import { openFrontServer, outcome, sendTo, SESSIONS, type FrontServer, type Over } from '@/testing/front-server';

let front: FrontServer;
beforeAll(async () => {
  // Room for all the concurrent requests below. Other tests cover refusals for lack of room.
  front = await openFrontServer({ DATABASE_POOL: '125' });
});
afterAll(() => front.close());

const REUSED = '401 nonce_reused X-Service-Nonce';
const WRONG = '401 invalid_signature X-Service-Signature';
const call = async (over: Over = {}, port?: number) => outcome(await front.send(over, port));
const now = () => Math.floor(front.clock.now().getTime() / 1000);
const draft = (over: object = {}) => ({ amount: 1250, currency: 'USD', order_id: randomUUID(), ...over });
const newSession = async () => String((await front.send()).json.id);

test('S-14 accepts exactly one of 500 identical concurrent requests over three replicas', async () => {
  const ports = [front.port, (await front.replica()).port, (await front.replica()).port];
  const asked = front.asked();
  const answers = await Promise.all(
    Array.from({ length: 500 }, (_, n) => sendTo(ports[n % 3] as number, asked).then(outcome)),
  );
  expect(answers.filter((one) => one === '200')).toHaveLength(1);
  expect(answers.filter((one) => one === REUSED)).toHaveLength(499);
});

test('S-15 a nonce with another body, another path or another timestamp', async () => {
  const nonce = randomUUID();
  expect(await call({ nonce })).toBe('200');
  const others: Over[] = [
    { body: draft() },
    { method: 'GET', path: `${SESSIONS}/${await newSession()}` },
    { timestamp: String(now() - 7) },
  ];
  for (const other of others) expect(await call({ ...other, nonce })).toBe(REUSED);
});

test('S-16 a nonce from the future is remembered for as long as its timestamp is accepted', async () => {
  const asked = front.asked({ timestamp: String(now() + 299) });
  const again = async () => outcome(await sendTo(front.port, asked));
  /** Time passes here and in the database, and the worker deletes old nonces. */
  const wait = async (seconds: number) => {
    front.clock.advance(seconds);
    await front.db.pool.query(`UPDATE nonces SET spent_at = spent_at - make_interval(secs => $1)`, [seconds]);
    await clearSpent({ pool: front.db.pool });
  };
  expect(await again()).toBe('200');
  await wait(310);
  expect(await again()).toBe(REUSED);
  await wait(280);
  expect(await again()).toBe(REUSED);
  await wait(1300);
  expect(await again()).toBe('401 timestamp_out_of_range X-Service-Timestamp');
  const { rows } = await front.db.pool.query('SELECT count(*)::int AS kept FROM nonces');
  expect(rows[0].kept).toBe(0);
});

test('S-17 after a restart of every replica', async () => {
  const asked = front.asked();
  expect(outcome(await sendTo(front.port, asked))).toBe('200');
  expect(outcome(await sendTo((await front.replica()).port, asked))).toBe(REUSED);
});

test('S-18 the same nonce by another key', async () => {
  const nonce = randomUUID();
  const stores = [front.store, await makeStore(front.db, front.config)];
  for (const store of stores) expect(await call({ nonce, store })).toBe('200');
});

test('S-19 a wrong signature does not spend the nonce of another caller', async () => {
  const nonce = randomUUID();
  for (let n = 0; n < 3; n++) expect(await call({ nonce, signedBody: 'guess' })).toBe(WRONG);
  expect(await call({ nonce })).toBe('200');
});

const signatureOf = (over: Over) =>
  String(front.asked(over).headers.find(([name]) => name === 'x-service-signature')?.[1]);
/** A correct request whose signature was changed in transit. */
const withSignature = (changed: (right: string) => string | null) => {
  const over = { nonce: randomUUID(), body: draft() };
  return call({ ...over, headers: { 'x-service-signature': changed(signatureOf(over)) } });
};

test('S-20 hexadecimal digits of either case', async () => {
  expect(await withSignature((right) => right.toUpperCase())).toBe('200');
  expect(await withSignature((right) => [...right].map((one, n) => (n % 2 ? one.toUpperCase() : one)).join(''))).toBe(
    '200',
  );
});

test.each<[string, (right: string) => string]>([
  ['63 characters', (right) => right.slice(1)],
  ['65 characters', (right) => `${right}a`],
  ['128 characters', (right) => right + right],
  ['odd and short', (right) => right.slice(0, 31)],
  ['other letters', (right) => `zz${right.slice(2)}`],
  ['base64', (right) => Buffer.from(right, 'hex').toString('base64')],
  ['a prefix', (right) => `sha256=${right}`],
  ['a prefix of hex', (right) => `0x${right}`],
  ['something after it', (right) => `${right},${right}`],
  ['no-break space', (right) => `${right}\u00a0`],
  ['64 zeros', () => '0'.repeat(64)],
])('S-21 a signature with %s', async (_, changed) => {
  expect(await withSignature(changed)).toBe(WRONG);
});

test('S-21 a signature that is missing or empty: missing_header', async () => {
  for (const none of [null, '']) expect(await withSignature(() => none)).toBe('401 missing_header X-Service-Signature');
});

test('S-22 a body that was serialized again after it was signed', async () => {
  const body = draft({ description: 'é/ü' });
  const text = JSON.stringify(body);
  const others = [
    JSON.stringify(body, null, 1),
    JSON.stringify(Object.fromEntries(Object.entries(body).toReversed())),
    text.replaceAll('é', '\\u00e9'),
    text.replace('/', '\\/'),
  ];
  for (const other of others) expect(await call({ body: other, signedBody: text })).toBe(WRONG);
});

test('S-23 a line break after the body counts', async () => {
  const body = `${JSON.stringify(draft())}\n`;
  expect(await call({ body, signedBody: body.trim() })).toBe(WRONG);
  expect(await call({ body })).toBe('200');
});

test('S-24 a byte-order mark is detected after the signature check', async () => {
  const body = `\ufeff${JSON.stringify(draft())}`;
  expect(await call({ body })).toBe('400 INVALID_JSON body');
  expect(await call({ body, signedBody: body.slice(1) })).toBe(WRONG);
});

test('S-25 a GET is signed with an empty body and with nothing else', async () => {
  const path = `${SESSIONS}/${await newSession()}`;
  for (const signedBody of ['null', 'undefined', '{}', ' ']) {
    expect(await call({ method: 'GET', path, signedBody })).toBe(WRONG);
  }
  expect(await call({ method: 'GET', path })).toBe('200');
});

test('S-26 cancel takes no body, {} and {} after white space, each as it was signed', async () => {
  for (const body of ['', '{}', ' \t\r\n{}']) {
    const path = `${SESSIONS}/${await newSession()}/cancel`;
    expect(await call({ path, body, signedBody: `${body}x` })).toBe(WRONG);
    expect(await call({ path, body })).toBe('200');
  }
});

test('S-27 cancel ignores a body that begins as JSON, and refuses any other', async () => {
  for (const body of ['{"reason":"x"}', '[]', '{"a":1,"a":2}']) {
    expect(await call({ path: `${SESSIONS}/${await newSession()}/cancel`, body })).toBe('200');
  }
  for (const body of ['not JSON', ' ', '"{}"', 'null', '\u00a0{}', '\ufeff{}']) {
    expect(await call({ path: `${SESSIONS}/${await newSession()}/cancel`, body })).toBe('400 INVALID_JSON body');
  }
});

test('S-28 GET ignores its body when it is signed as sent', async () => {
  const path = `${SESSIONS}/${await newSession()}`;
  expect(await call({ method: 'GET', path, body: 'x' })).toBe('400 INVALID_JSON body');
  for (const body of ['{"a":1}', '[']) {
    expect(await call({ method: 'GET', path, body })).toBe('200');
    expect(await call({ method: 'GET', path, body, signedBody: '' })).toBe(WRONG);
  }
});

test('S-29 the path is not signed: a signature is valid for one request, on whichever path it arrives first (documented limit)', async () => {
  const [one, other] = [await newSession(), await newSession()];
  const asked = front.asked({ method: 'GET', path: `${SESSIONS}/${one}` });
  const moved = { ...asked, path: `${SESSIONS}/${other}` };
  expect(outcome(await sendTo(front.port, moved))).toBe('200');
  expect(outcome(await sendTo(front.port, asked))).toBe(REUSED);
});

test('S-30 only one of two requests that share a sign string has an accepted nonce and body', async () => {
  const path = `${SESSIONS}/${await newSession()}/cancel`;
  const [first, second] = [
    { path, nonce: 'a', body: 'b.{}' },
    { path, nonce: 'a.b', body: '{}' },
  ];
  expect(signatureOf(first)).toBe(signatureOf(second));
  expect(await call(first)).toBe('400 INVALID_JSON body');
  expect(await call(second)).toBe('200');
  const third = { path: `${SESSIONS}/${await newSession()}/cancel`, nonce: 'a.b.{}', body: '' };
  expect(await call(third)).toBe('401 invalid_nonce X-Service-Nonce');
});

test.each(['X-Service-Nonce', 'X-Service-Timestamp', 'X-Service-Signature'])(
  'S-31 %s twice, even alike',
  async (name) => {
    const over = { nonce: randomUUID() };
    const asked = front.asked(over);
    const [header] = asked.headers.filter(([given]) => given === name.toLowerCase());
    const answer = await sendTo(front.port, { ...asked, headers: [...asked.headers, header as [string, string]] });
    expect(outcome(answer)).toBe(`401 missing_header ${name}`);
  },
);

test('S-32 takes the same time wherever a signature is wrong', async () => {
  const right = signedRequest(front.store, { path: SESSIONS, body: JSON.stringify(draft()), now: front.clock.now() });
  const signature = right.header('x-service-signature')[0] as string;
  const flipped = (at: number) =>
    `${signature.slice(0, at)}${signature[at] === '0' ? '1' : '0'}${signature.slice(at + 1)}`;
  const withHeader = (name: string, value: string) => ({
    ...right,
    header: (asked: string) => (asked === name ? [value] : right.header(asked)),
  });
  const kinds = {
    first: withHeader('x-service-signature', flipped(0)),
    last: withHeader('x-service-signature', flipped(63)),
  };
  const times: Record<string, number[]> = { first: [], last: [] };
  const key = (await front.services.findKey(front.store.apiKey))!;
  for (let turn = 0; turn < 4000; turn++) {
    for (const [name, request] of Object.entries(kinds)) {
      const began = performance.now();
      expect(() => authenticate(request, key, front)).toThrow(ServiceError);
      times[name]?.push(performance.now() - began);
    }
  }
  const median = (name: string) => times[name]?.toSorted((a, b) => a - b)[2000] ?? 0;
  // Alternating runs, medians, and a wide margin, so that a busy machine slows all of them or none.
  expect(median('first') / median('last')).toBeGreaterThan(0.75);
  expect(median('first') / median('last')).toBeLessThan(1.33);
});

test('S-33 blocks an address that keeps failing to authenticate, and serves the merchant elsewhere', async () => {
  const limited = await openFrontServer({ LIMIT_LOOPBACK: 'on', FAILURE_RATE: '1', FAILURE_BURST: '20' });
  try {
    const wrong = (from: string) => limited.send({ signedBody: 'guess' }, limited.port, from).then(outcome);
    const answers: string[] = [];
    for (let n = 0; n < 100; n++) answers.push(await wrong('127.0.0.66'));
    expect([answers.slice(0, 20), answers.slice(20)]).toEqual([
      Array(20).fill(WRONG),
      Array(80).fill('429 RATE_LIMITED Authorization'),
    ]);
    const held = await limited.send({}, limited.port, '127.0.0.66');
    expect([outcome(held), Number(held.headers['retry-after'])]).toEqual(['429 RATE_LIMITED Authorization', 1]);
    for (let n = 0; n < 30; n++) expect(outcome(await limited.send({}, limited.port, '127.0.0.67'))).toBe('200');
  } finally {
    await limited.close();
  }
});

test('S-34 a webhook secret signs no requests', async () => {
  expect(await call({ store: { ...front.store, apiSecret: newWebhookSecret() } })).toBe(WRONG);
});

test.each([
  ...[
    null,
    'text/plain',
    'application/json; charset=latin1',
    'multipart/form-data; boundary=x',
    'application/x-www-form-urlencoded',
  ],
  ...['application/json, text/plain', 'application/jsonp', 'application/json; charset=utf-16', ''],
])('S-35 Content-Type %j', async (type) => {
  expect(await call({ headers: { 'content-type': type } })).toBe('400 unsupported_media_type Content-Type');
});

test.each([
  'application/json',
  'Application/JSON',
  'application/json; charset=utf-8',
  'application/json;charset="UTF-8"',
])('S-35 Content-Type %s is the right one', async (type) => {
  expect(await call({ headers: { 'content-type': type } })).toBe('200');
});
