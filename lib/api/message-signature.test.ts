// Signature version 2 through both HTTP adapters: what it accepts, what it refuses that version 1 accepts, one nonce space for
// both versions, and keys that require it.

import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerAsNext } from '@/testing/next-handlers';
import { createApiKey } from '@/lib/merchants/api-keys/keys';
import { ADAPTERS, draft, openContract, REFUNDS, SESSIONS, type Contract } from '@/testing/contract-client';
import type { TestStore } from '@/testing/fixtures';
import { signMessage, type Message, type MessageChange } from '@/testing/sign-message';

const CREATE = `${SESSIONS}/create`;
/** The headers of version 1, omitted. */
const WITHOUT_VERSION_1 = { 'X-Service-Timestamp': null, 'X-Service-Nonce': null, 'X-Service-Signature': null };
/** The HTTP server refuses a longer header itself (431). */
const LONGEST_OF_NODE = 12_000;

let contract: Contract;
let strict: TestStore;
beforeAll(async () => {
  contract = await openContract();
  const { db, clock, config, store } = contract;
  const key = { storeId: store.storeId, environment: 'test', name: 'Strict', requiresSignatureV2: true } as const;
  const { id, ...made } = await createApiKey({ pool: db.pool, clock, config }, key);
  strict = { ...store, ...made, keyId: id };
});
afterAll(() => contract.close());

describe.each(ADAPTERS)('through %s', (adapter) => {
  type Asked = Omit<Message, 'created'> & { readonly created?: number; readonly store?: TestStore };
  /** Sends a request. `sent` replaces parts of it after it was signed. */
  const call = (
    { store = contract.store, ...message }: Asked,
    sent: {
      path?: string;
      method?: string;
      body?: string;
      headers?: Record<string, string | null>;
      change?: MessageChange;
    } = {},
  ) => {
    const signed = signMessage(store, { created: contract.now(), ...message }, sent.change);
    const headers = { ...WITHOUT_VERSION_1, ...signed, ...sent.headers };
    const [method, path] = [sent.method ?? message.method, sent.path ?? message.path];
    const client = contract.client(adapter, store);
    return method === 'GET'
      ? client.get(path, { headers })
      : client.post(path, sent.body ?? message.body ?? '', { headers });
  };
  const outcome = async (reply: ReturnType<typeof call>) => {
    const { status, json } = await reply;
    return status < 400 ? `${status}` : `${status} ${json.error.code} ${json.error.param}`;
  };
  const create = (over: Partial<Asked> = {}) => ({
    method: 'POST',
    path: CREATE,
    body: JSON.stringify(draft()),
    ...over,
  });
  const newSession = async () => String((await call(create())).json.id);

  test('sessions are created, read, listed and canceled, with or without a trailing slash and a query', async () => {
    const { status, json } = await call(create());
    expect(status).toBe(200);
    const path = `${SESSIONS}/${json.id}`;
    for (const one of [
      path,
      `${path}/`,
      `${path}?`,
      `${path}?x=1&y=%2F%7e`,
      SESSIONS,
      `${SESSIONS}?limit=1&order_id=a%20b`,
    ])
      expect([one, await outcome(call({ method: 'GET', path: one }))]).toEqual([one, '200']);
    expect(await outcome(call({ method: 'POST', path: `${path}/cancel` }))).toBe('200');
    expect(await outcome(call({ method: 'GET', path: `/v1/payment/sessions/${json.id}/` }))).toBe('200');
  });

  test('a signature is valid for its own path only, and is not spent on another', async () => {
    const [one, other] = [await newSession(), await newSession()];
    const message = { method: 'POST', path: `${SESSIONS}/${one}/cancel`, nonce: randomUUID() };
    const WRONG = '401 invalid_signature Signature';
    expect(await outcome(call(message, { path: `${SESSIONS}/${other}/cancel` }))).toBe(WRONG);
    expect(await outcome(call(message, { path: `${message.path}/` }))).toBe(WRONG);
    expect(await outcome(call(message, { path: `${message.path}?x=1` }))).toBe(WRONG);
    expect(await outcome(call(message, { path: message.path.replace('cancel', '%63ancel') }))).toMatch(/^40[14] /);
    expect((await contract.client(adapter).get(`${SESSIONS}/${other}`)).json.status).toBe('PENDING');
    expect(await outcome(call(message))).toBe('200');
    expect(await outcome(call(message))).toBe('401 nonce_reused Signature-Input');
  });

  test('a signature is valid for its own method only', async () => {
    const path = SESSIONS;
    expect(await outcome(call({ method: 'POST', path }, { method: 'GET' }))).toBe('401 invalid_signature Signature');
  });

  test('a query cannot be changed, cut or reordered', async () => {
    const path = `${SESSIONS}?status=PENDING&limit=1`;
    for (const sent of [
      SESSIONS,
      `${SESSIONS}?limit=1&status=PENDING`,
      `${path}0`,
      `${SESSIONS}?status=%50ENDING&limit=1`,
    ])
      expect(await outcome(call({ method: 'GET', path }, { path: sent }))).toBe('401 invalid_signature Signature');
  });

  test('a body cannot be changed, nor added where none was signed', async () => {
    const message = create();
    expect(await outcome(call(message, { body: `${message.body} ` }))).toBe('401 invalid_signature Content-Digest');
    expect(await outcome(call(message, { body: '' }))).toBe('401 invalid_signature Content-Digest');
    const cancel = { method: 'POST', path: `${SESSIONS}/${await newSession()}/cancel` };
    expect(await outcome(call(cancel, { body: '{}' }))).toBe('401 invalid_signature Content-Digest');
  });

  test('the time window is that of version 1', async () => {
    const at = (away: number) => outcome(call(create({ created: contract.now() + away })));
    expect([await at(-300), await at(300)]).toEqual(['200', '200']);
    const OUT = '401 timestamp_out_of_range Signature-Input';
    expect([await at(-301), await at(301)]).toEqual([OUT, OUT]);
  });

  test('a nonce counts once for a key, in whichever version it was sent', async () => {
    const [first, second] = [randomUUID(), randomUUID()];
    const client = contract.client(adapter);
    const one = async (nonce: string) => {
      const { status, json } = await client.create({}, { nonce });
      return status < 400 ? `${status}` : `${status} ${json.error.code} ${json.error.param}`;
    };
    const two = (nonce: string) => outcome(call(create({ nonce })));
    expect([await one(first), await two(first)]).toEqual(['200', '401 nonce_reused Signature-Input']);
    expect([await two(second), await one(second)]).toEqual(['200', '401 nonce_reused X-Service-Nonce']);
  });

  test('a refused request spends its nonce, and one with a wrong signature does not', async () => {
    const nonce = randomUUID();
    const missing = { method: 'GET', path: `${SESSIONS}/cs_test_${'0'.repeat(22)}`, nonce };
    expect(await outcome(call(missing, { path: SESSIONS }))).toBe('401 invalid_signature Signature');
    expect(await outcome(call(missing))).toBe('404 SESSION_NOT_FOUND session_id');
    expect(await outcome(call(missing))).toBe('401 nonce_reused Signature-Input');
  });

  test('a request with both kinds of signature is refused, and spends neither nonce', async () => {
    const [message, nonce] = [create({ nonce: randomUUID() }), randomUUID()];
    const signed = signMessage(contract.store, { created: contract.now(), ...message });
    const both = () => contract.client(adapter).post(CREATE, message.body, { nonce, headers: signed });
    expect(await outcome(both())).toBe('401 invalid_signature Signature-Input');
    expect((await contract.client(adapter).create({}, { nonce })).status).toBe(200);
    expect(await outcome(call(message))).toBe('200');
  });

  test('the signature of a proxy beside ours changes nothing, in version 1 as in version 2', async () => {
    const input = 'proxy=("@authority");created=1;keyid="p";tag="web-bot-auth"';
    const proxy = { 'Signature-Input': input, Signature: 'proxy=:AA==:' };
    expect((await contract.client(adapter).create({}, { headers: proxy })).status).toBe(200);
    const message = create({ nonce: randomUUID() });
    const own = signMessage(contract.store, { created: contract.now(), ...message });
    const joined = {
      'Signature-Input': `${input}, ${own['Signature-Input']}`,
      Signature: `proxy=:AA==:, ${own.Signature}`,
    };
    expect(await outcome(call(message, { headers: joined }))).toBe('200');
  });

  test('the key is checked first, and its secret is the one of version 1', async () => {
    const message = create();
    const unknown = { ...contract.store, apiKey: `ak_test_${'0'.repeat(32)}` };
    expect(await outcome(call({ ...message, store: unknown }))).toBe('401 invalid_api_key Authorization');
    expect(await outcome(call(message, { headers: { Authorization: null } }))).toBe(
      '401 invalid_api_key Authorization',
    );
    const { apiKey } = contract.store;
    const mixed = { ...contract.other, apiKey };
    expect(await outcome(call({ ...message, store: mixed }))).toBe('401 invalid_signature Signature');
    const otherKey = { Authorization: `Bearer ${contract.other.apiKey}` };
    expect(await outcome(call(message, { headers: otherKey }))).toBe('401 invalid_signature Signature-Input');
  });

  test.each(['Content-Digest', 'Signature'])('without %s the response names it', async (name) => {
    expect(await outcome(call(create(), { headers: { [name]: null } }))).toBe(`401 missing_header ${name}`);
  });

  test('without any signature the response is that of version 1', async () => {
    const { status, json } = await contract.client(adapter).create({}, { headers: WITHOUT_VERSION_1 });
    expect([status, json.error.code, json.error.param]).toEqual([401, 'missing_header', 'X-Service-Timestamp']);
  });

  test('a key that requires version 2 accepts it, and says so to a request of version 1', async () => {
    expect(await outcome(call({ ...create(), store: strict }))).toBe('200');
    const { status, json } = await contract.client(adapter, strict).create();
    expect([status, json.error.code, json.error.param]).toEqual([401, 'signature_version_required', 'Signature-Input']);
    expect(json.error.message).toContain('Content-Digest, Signature-Input and Signature (RFC 9421)');
    expect(json.error.doc_url).toMatch(/\/docs\/errors\/signature_version_required$/);
    for (const path of [SESSIONS, `${REFUNDS}/r-1`])
      expect((await contract.client(adapter, strict).get(path)).json.error.code).toBe('signature_version_required');
    expect((await contract.client(adapter).create()).status).toBe(200);
  });

  test('for any headers, the response is a 4xx in the envelope', async () => {
    const piece = fc.oneof(
      fc.string({ unit: fc.constantFrom(...'()=;,:"\\ \t?@aZ09*/+é'), maxLength: 40 }),
      fc.constantFrom(
        'sig1=("@method")',
        ';tag="stabletill-api"',
        ';created=1800000000',
        '\u00ff',
        'x'.repeat(LONGEST_OF_NODE),
      ),
    );
    const header = fc.constantFrom('Signature-Input', 'Signature', 'Content-Digest');
    const edit = fc.record({ header, text: piece, where: fc.constantFrom('before', 'after', 'instead', 'within') });
    await fc.assert(
      fc.asyncProperty(edit, async ({ header: name, text, where }) => {
        const message = create({ nonce: randomUUID() });
        const right: Record<string, string> = signMessage(contract.store, { created: contract.now(), ...message });
        const value = right[name] ?? '';
        const half = Math.floor(value.length / 2);
        const changed = {
          before: text + value,
          after: value + text,
          instead: text,
          within: value.slice(0, half) + text + value.slice(half),
        }[where].trim();
        const { status, json } = await call(message, { headers: { [name]: changed } });
        expect({ text, where, status }).toEqual({
          text,
          where,
          status: changed === value ? 200 : expect.toSatisfy((one: number) => one === 200 || one === 401),
        });
        if (status !== 200) expect(json.request_id).toMatch(/^req_/);
      }),
      { numRuns: 150 },
    );
  });
});

describe('behind Next, which rewrites queries', () => {
  const sent = `${SESSIONS}?order_id=a%20b&status=PENDING`;
  const rewritten = `${SESSIONS}?order_id=a+b&status=PENDING`;
  const call = async (target: string | null) => {
    const { store, services, config, now } = contract;
    const signed = signMessage(store, { method: 'GET', path: sent, created: now() });
    const headers = { ...signed, ...(target === null ? {} : { 'x-request-target': target }) };
    return (await answerAsNext(services, new Request(`${config.PUBLIC_URL}${rewritten}`, { headers }))).status;
  };

  test('the signature is checked over the target that our server sets', async () => {
    expect(await call(sent)).toBe(200);
  });

  test('a target header with another path or query does not count', async () => {
    expect(await call(null)).toBe(401);
    for (const other of [
      `${SESSIONS}/x?order_id=a%20b&status=PENDING`,
      `${SESSIONS}?order_id=a%20b`,
      `${SESSIONS}?order_id=a%20c&status=PENDING`,
      `https://evil.example${sent}`,
    ])
      expect(await call(other)).toBe(401);
  });
});
