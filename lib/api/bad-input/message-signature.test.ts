// Signature version 2 against our HTTP server, with input that no client library sends: repeated header lines, raw bytes, and
// request targets that URL libraries would rewrite.

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  CREATE,
  openFrontServer,
  outcome,
  raw,
  sendTo,
  SESSIONS,
  statuses,
  wire,
  type Asked,
  type FrontServer,
} from '@/testing/front-server';
import { signMessage, type MessageChange } from '@/testing/sign-message';

let front: FrontServer;
beforeAll(async () => {
  front = await openFrontServer();
});
afterAll(() => front.close());

const VERSION_1 = { 'x-service-timestamp': null, 'x-service-nonce': null, 'x-service-signature': null };
const now = () => Math.floor(front.clock.now().getTime() / 1000);
const draft = () => JSON.stringify({ amount: 1250, currency: 'USD', order_id: randomUUID() });

/** A correctly signed request; `headers` follow the signing ones, repeated names included. */
function asked(
  { method = 'POST', path = CREATE, change = {} }: { method?: string; path?: string; change?: MessageChange } = {},
  edit: (headers: Record<string, string>) => (readonly [string, string])[] = Object.entries,
): Asked {
  const body = method === 'POST' ? draft() : '';
  const plain = front.asked({ method, path, body, headers: { ...VERSION_1, authorization: null } });
  const signed = edit(signMessage(front.store, { method, path, body, created: now() }, change));
  return { ...plain, headers: [...plain.headers, ...signed] };
}
const send = async (request: Asked) => outcome(await sendTo(front.port, request));

test('a signature in several header lines is one value, in the order of the lines', async () => {
  const proxy = [
    ['Signature-Input', 'proxy=("@authority");created=1;keyid="p"'],
    ['Signature', 'proxy=:AA==:'],
  ] as const;
  expect(await send(asked({}, (own) => [...proxy, ...Object.entries(own)]))).toBe('200');
  expect(await send(asked({}, (own) => [...Object.entries(own), ...proxy]))).toBe('200');
});

test.each(['Signature-Input', 'Signature', 'Content-Digest'])('%s that is sent twice is refused', async (name) => {
  const twice = asked({}, (own) => [...Object.entries(own), [name, own[name] ?? '']]);
  expect(await send(twice)).toMatch(/^401 invalid_signature /);
});

test('two Authorization headers are refused before any signature is read', async () => {
  const twice = asked({}, (own) => [...Object.entries(own), ['Authorization', 'Bearer ak_test_other']]);
  expect(await send(twice)).toBe('401 invalid_api_key Authorization');
});

test.each(['?cursor=a%2Fb&x=%7e~', "?x='1'", '?x="1"', '?x=<|>^`{}', '?x=a+b&&=&x', '?', '??', '?x=%zz', '/?x=1'])(
  'the target is signed as written in the request line: %s',
  async (end) => {
    const [path, other] = [`${SESSIONS}${end}`, `${SESSIONS}${end}&y`];
    const answer = await send(asked({ method: 'GET', path }));
    // The listing decides about the query separately. The signature is valid.
    expect(answer).not.toMatch(/^401/);
    const moved = { ...asked({ method: 'GET', path }), path: other };
    expect(await send(moved)).toBe('401 invalid_signature Signature');
  },
);

test('a path in another encoding is another path, to the signature too', async () => {
  const id = `cs_test_${'0'.repeat(22)}`;
  const [plain, encoded] = [`${SESSIONS}/${id}`, `${SESSIONS}/${id.replace('_', '%5F')}`];
  for (const path of [plain, encoded])
    expect(await send(asked({ method: 'GET', path }))).toBe('404 SESSION_NOT_FOUND session_id');
  const moved = { ...asked({ method: 'GET', path: plain }), path: encoded };
  expect(await send(moved)).toBe('401 invalid_signature Signature');
});

test('bytes that are not ASCII, and control characters, never pass the header check', async () => {
  for (const text of ['é', '\u00ff', '\u0080']) {
    const request = asked({ change: { more: `;x="${text}"` } });
    expect(await send(request)).toBe('401 invalid_signature Signature-Input');
  }
  for (const text of ['\0', '\r', '\n', '\r\nX-Service-Nonce: 1']) {
    const request = asked({ change: { parameters: { nonce: `"${text}"` } } });
    expect([[400], [401]]).toContainEqual(statuses(await raw(front.port, wire(request), 500)));
  }
});

test("headers above the server's limit are 431 before any code reads them", async () => {
  const request = asked({ change: { label: 'x'.repeat(17_000) } });
  expect(statuses(await raw(front.port, wire(request), 500))).toEqual([431]);
});

test('Next receives the target as it was sent, whatever the sender claims in a header', async () => {
  const indirect = await openFrontServer({ DIRECT_DOOR: 'off' });
  try {
    const path = `${SESSIONS}?order_id=a%20b'`;
    const answer = await indirect.send({ method: 'GET', path, headers: { 'x-request-target': '/other' } });
    expect(answer.headers['x-told-target']).toBe(path);
  } finally {
    await indirect.close();
  }
});

test('repeated Authorization headers reach Next together, so that neither adapter accepts one of them', async () => {
  const indirect = await openFrontServer({ DIRECT_DOOR: 'off' });
  try {
    const { headers } = await indirect.send({ headers: { authorization: ['Bearer a', 'Bearer b'] } });
    expect(headers['x-told-authorization']).toBe('Bearer a, Bearer b');
  } finally {
    await indirect.close();
  }
});
