import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ApiResponse } from '@/lib/platform/http';
import { newApiKey } from '@/lib/platform/ids';
import { createApiKey, revokeApiKey, rollApiKey } from '@/lib/merchants/api-keys/keys';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeStore, signedRequest, TestClock, testConfig, testContext, type TestStore } from '@/testing/fixtures';
import { answer } from '@/lib/api/answer';
import { answerPublicStatus } from '@/lib/api/public/session-status';
import { openServices, type Services } from '@/lib/api/services';
import { refuseUnsafeStart } from '@/lib/api/start-web';
import { startValkey, type ValkeyServer } from '@/testing/valkey';

const PATH = '/api/v1/checkout/sessions/cs_test_33333333333333333333333333333333';
const SETTINGS = {
  KEY_RATE: '2',
  KEY_BURST: '5',
  FAILURE_RATE: '1',
  FAILURE_BURST: '10',
  PAGE_RATE: '1',
  PAGE_BURST: '3',
};
const clock = new TestClock();
const config = testConfig(SETTINGS);
let db: TestDatabase;
let store: TestStore;
let valkey: ValkeyServer;
const closers: (() => void)[] = [];

/** A web process of its own on the same database. */
function replica(settings: Record<string, string> = {}): Services {
  const context = testContext(db, clock, {
    ...testConfig({ ...SETTINGS, ...settings }),
    MASTER_KEYS: config.MASTER_KEYS,
  });
  const services = openServices(context);
  closers.push(() => services.limits.close());
  return services;
}

beforeAll(async () => {
  db = await openTestDatabase();
  valkey = await startValkey();
});
afterEach(() => closers.splice(0).forEach((close) => close()));
afterAll(() => Promise.all([db.close(), valkey.close()]));
beforeEach(async () => {
  clock.advance(3600);
  store = await makeStore(db, config);
});

/** Two web processes that count together. */
async function sharing(settings: Record<string, string> = {}): Promise<[Services, Services]> {
  const both = [1, 2].map(() => replica({ ...settings, VALKEY_URL: valkey.url }));
  await Promise.all(both.map(({ limits }) => limits.opened()));
  return both as [Services, Services];
}

let lastAddress = 0;
const newAddress = (): string => `198.51.100.${++lastAddress}`;
type Change = Partial<Parameters<typeof signedRequest>[1]> & { address?: string };
const request = (services: Services, { address = '203.0.113.9', ...change }: Change = {}, by = store) =>
  answer(services, { ...signedRequest(by, { method: 'GET', path: PATH, now: clock.now(), ...change }), address });
const code = (response: ApiResponse) => JSON.parse(response.body).error?.code;
const wrong = { headers: { 'x-service-signature': '0'.repeat(64) } };

describe('an API key', () => {
  test('gets its remaining quota with every response, and above the limit the time to retry', async () => {
    const services = replica();
    const answers = [];
    for (let n = 0; n < 6; n++) answers.push(await request(services));
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 429]);
    expect(answers[0]?.headers).toMatchObject({ 'RateLimit-Policy': '"key";q=5;w=3', RateLimit: '"key";r=4;t=1' });
    expect(answers[5]?.headers).toMatchObject({
      'RateLimit-Policy': '"key";q=5;w=3',
      RateLimit: '"key";r=0;t=3',
      'Retry-After': '1',
    });
    clock.advance(1);
    expect((await request(services)).status).toBe(404);
  });

  test('does not get more by using two web processes that share Valkey', async () => {
    const both = await sharing();
    const started = performance.now();
    const answers = [];
    for (let n = 0; n < 20; n++) answers.push(await request(both[n % 2] as Services));
    const passed = answers.filter(({ status }) => status === 404);
    // The burst, and two more for each second that this took by Valkey's clock.
    expect(passed.length).toBeGreaterThanOrEqual(5);
    expect(passed.length).toBeLessThanOrEqual(5 + Math.ceil((2 * (performance.now() - started)) / 1000));
    expect(answers[1]?.headers).toMatchObject({ 'RateLimit-Policy': '"key";q=5;w=3', RateLimit: '"key";r=3;t=1' });
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.headers).toMatchObject({ RateLimit: '"key";r=0;t=3', 'Retry-After': '1' });
  });

  test('used only for refusals by its own store costs another key nothing', async () => {
    const services = replica();
    for (let n = 0; n < 8; n++) await request(services);
    expect((await request(services, {}, await makeStore(db, config))).status).toBe(404);
  });
});

describe('an address whose requests fail to authenticate', () => {
  test('is blocked, while the same key keeps working from another', async () => {
    const services = replica({ KEY_BURST: '1000' });
    const address = newAddress();
    const answers = [];
    for (let n = 0; n < 12; n++) answers.push(code(await request(services, { address, ...wrong })));
    expect(answers).toEqual([...Array<string>(10).fill('invalid_signature'), 'RATE_LIMITED', 'RATE_LIMITED']);
    // Even correctly signed requests have to wait there, and get the time to retry.
    const refused = await request(services, { address });
    expect([refused.status, refused.headers['Retry-After']]).toEqual([429, '1']);
    expect((await request(services, { address: newAddress() })).status).toBe(404);
    clock.advance(1);
    expect((await request(services, { address })).status).toBe(404);
  });

  test('does not lock out keys that signed in from there before, as behind one proxy or NAT', async () => {
    const services = replica({ KEY_BURST: '1000' });
    const [address, other] = [newAddress(), await makeStore(db, config)];
    expect((await request(services, { address })).status).toBe(404);
    for (let n = 0; n < 11; n++) await request(services, { address, ...wrong }, other);
    expect(code(await request(services, { address }, other))).toBe('RATE_LIMITED');
    expect((await request(services, { address })).status).toBe(404);
    // A known key at this address grants nothing: without its secret it is refused, and elsewhere too.
    expect(code(await request(services, { address, ...wrong }))).toBe('invalid_signature');
    expect((await request(services, { address })).status).toBe(404);
    // The exemption ends with the key.
    await db.pool.query('UPDATE api_keys SET revoked_at = now() WHERE store_id = $1', [store.storeId]);
    const later = { ...services, findKey: () => null };
    expect(code(await request(later, { address }))).toBe('invalid_api_key');
    expect(code(await request(later, { address }))).toBe('RATE_LIMITED');
  });

  test('is slowed down for keys that do not exist too, and then costs no lookup', async () => {
    const services = replica();
    const address = newAddress();
    const unknown = { ...store, apiKey: newApiKey('test') };
    for (let n = 0; n < 10; n++) expect(code(await request(services, { address }, unknown))).toBe('invalid_api_key');
    let lookedUp = 0;
    const watched = { ...services, findKey: () => ((lookedUp += 1), null) };
    expect(code(await request(watched, { address }, unknown))).toBe('RATE_LIMITED');
    expect(lookedUp).toBe(0);
  });

  test('counts with all the addresses of its /64, and an unknown address counts for no client', async () => {
    const services = replica();
    for (let n = 0; n < 10; n++) await request(services, { address: `2001:db8:1:2::${n + 1}`, ...wrong });
    expect(code(await request(services, { address: '2001:db8:1:2:ffff::1' }))).toBe('RATE_LIMITED');
    expect((await request(services, { address: '2001:db8:1:3::1' })).status).toBe(404);
    for (let n = 0; n < 12; n++)
      expect(code(await request(services, { address: '', ...wrong }))).toBe('invalid_signature');
  });

  test('is blocked on every web process that shares Valkey, once it fails there too', async () => {
    const [a, b] = await sharing({ KEY_BURST: '1000' });
    const address = newAddress();
    const failuresUntilBlocked = async (services: Services): Promise<number> => {
      let failures = 0;
      while (code(await request(services, { address, ...wrong })) === 'invalid_signature') failures += 1;
      return failures;
    };
    expect(await failuresUntilBlocked(a)).toBeGreaterThanOrEqual(10);
    // One, and one more for each second since. Alone it would let ten through.
    expect(await failuresUntilBlocked(b)).toBeLessThan(5);
    expect(code(await request(b, { address }))).toBe('RATE_LIMITED');
    expect((await request(b, { address: newAddress() })).status).toBe(404);
  });

  test('is this machine itself in a sandbox, and then nothing is limited', async () => {
    const services = replica({ LIMIT_LOOPBACK: 'off' });
    for (let n = 0; n < 15; n++) await request(services, { address: '127.0.0.1', ...wrong });
    const answered = await request(services, { address: '127.0.0.1' });
    expect([answered.status, answered.headers.RateLimit]).toEqual([404, undefined]);
  });
});

test('a public page above its limit says so in the same headers', async () => {
  const services = replica();
  const address = newAddress();
  const answers = [];
  for (let n = 0; n < 4; n++) answers.push(await answerPublicStatus(services, 'cs_test_x', address));
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 429]);
  expect(answers[3]?.headers).toMatchObject({ 'Retry-After': '1', RateLimit: '"page";r=0;t=3' });
});

describe('on every replica at once', () => {
  const keysOf = (services: Services) => ({ pool: services.pool, clock, config: services.config });
  const asStore = (key: { id: number; apiKey: string; apiSecret: string }): TestStore => ({
    ...key,
    keyId: key.id,
    storeId: store.storeId,
  });

  test('a revoked key is refused, though each has just used it', async () => {
    const both = [replica(), replica()];
    for (const services of both) expect((await request(services)).status).toBe(404);
    await revokeApiKey(keysOf(both[0] as Services), {
      environment: 'test' as const,
      storeId: store.storeId,
      keyId: store.keyId,
    });
    for (const services of both) expect(code(await request(services))).toBe('invalid_api_key');
  });

  test('a rolled key and its successor both work until the overlap ends', async () => {
    const both = [replica(), replica()];
    const rolled = { environment: 'test' as const, storeId: store.storeId, keyId: store.keyId };
    const successor = await rollApiKey({ ...keysOf(both[0] as Services), clock: { now: () => new Date() } }, rolled);
    for (const by of [store, asStore(successor as NonNullable<typeof successor>)])
      for (const services of both) expect((await request(services, {}, by)).status).toBe(404);
    await db.pool.query(`UPDATE api_keys SET expires_at = now() - interval '1 second' WHERE id = $1`, [store.keyId]);
    for (const services of both) expect(code(await request(services))).toBe('invalid_api_key');
  });

  test('a key is held to its scopes and to its addresses', async () => {
    const both = [replica(), replica()];
    const [scopes, allowedAddresses] = [['sessions:write'] as const, ['192.0.2.0/24']];
    const limited = { storeId: store.storeId, environment: 'test', name: 'limited' } as const;
    const writer = asStore(await createApiKey(keysOf(both[0] as Services), { ...limited, scopes }));
    const fixed = asStore(await createApiKey(keysOf(both[0] as Services), { ...limited, allowedAddresses }));
    for (const services of both) {
      expect(code(await request(services, {}, writer))).toBe('insufficient_scope');
      expect(code(await request(services, {}, fixed))).toBe('invalid_api_key');
      expect((await request(services, { address: '192.0.2.7' }, fixed)).status).toBe(404);
    }
  });

  test('a nonce is spent once', async () => {
    const both = [replica(), replica()];
    const nonce = randomUUID();
    const answers = await Promise.all([0, 1, 0, 1].map((n) => request(both[n] as Services, { nonce })));
    expect(answers.filter((one) => code(one) === 'SESSION_NOT_FOUND')).toHaveLength(1);
    expect(answers.filter((one) => code(one) === 'nonce_reused')).toHaveLength(3);
  });
});

test('a web process whose Valkey refuses it does not start', async () => {
  await expect(refuseUnsafeStart(replica({ VALKEY_URL: valkey.refusedUrl }))).rejects.toThrow(
    'VALKEY_URL: Valkey refuses it',
  );
  await expect(refuseUnsafeStart(replica({ VALKEY_URL: valkey.url }))).resolves.toBeUndefined();
});
