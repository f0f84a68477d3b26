import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { ChainError, type ChainAdapter, type TransactionReport } from '@/lib/networks/chain';
import { networkSpec } from '@/lib/networks/networks';
import type { FollowedChain } from '@/lib/networks/registry';
import type { Context } from '@/lib/platform/context';
import { openLog } from '@/lib/platform/log';
import { openTestClock } from '@/testing/chain-clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeChain, makeStore, testConfig, testContext } from '@/testing/fixtures';
import { EXPIRES, openSettledSessions } from '@/testing/payments/settled-session';
import { takeLookup } from './budget';
import { openFinder, type FindPayment } from './find';

const START = EXPIRES - 600;
const clock = openTestClock(START);
const config = testConfig();
/** A new hash in every test. */
let hash: string;
let db: TestDatabase;
let storeId: string;
let world: ReturnType<typeof openSettledSessions>;
let answers: Record<string, (given: string) => Promise<TransactionReport | null>>;
let lookups: string[];
let errors: { facts: object; text: string }[];
let find: FindPayment;

beforeAll(async () => {
  db = await openTestDatabase();
  ({ storeId } = await makeStore(db, config));
  const chains = { ethereum: await makeChain(db, 'ethereum', START), bsc: await makeChain(db, 'bsc', START) };
  for (const network of ['tron', 'solana']) await makeChain(db, network, START);
  world = openSettledSessions(db, clock, chains);
});
afterAll(() => db.close());
afterEach(() => vi.useRealTimers());
beforeEach(async () => {
  clock.set(START + 60);
  await db.pool.query(`UPDATE chains SET trouble = NULL, scanned_at = $1`, [clock.now()]);
  await db.pool.query('TRUNCATE finder_days');
  answers = {};
  hash = `0x${randomBytes(32).toString('hex')}`;
  lookups = [];
  errors = [];
  const log = openLog('test', 'silent');
  log.error = ((facts: object, text: string) => void errors.push({ facts, text })) as typeof log.error;
  const context: Context = { ...testContext(db, clock, config), log };
  find = openFinder(context, () => [
    chain('ethereum'),
    chain('bsc'),
    chain('tron'),
    chain('solana'),
    chain('ethereum', 'live'),
  ]);
});

/** A followed chain with the lookup results of the test; it knows no other transaction. */
function chain(network: string, environment: 'test' | 'live' = 'test'): FollowedChain {
  const never = () => Promise.reject(new Error('the finder only looks up'));
  const adapter: ChainAdapter = {
    readsBlocks: network !== 'solana',
    genesis: never,
    head: never,
    block: never,
    agreed: never,
    scan: never,
    lookup: (given) => {
      lookups.push(`${environment} ${network} ${given}`);
      return answers[network]?.(given) ?? Promise.resolve(null);
    },
  };
  return { environment, network, spec: networkSpec(environment, network, 'local')!, adapter };
}

const addressOf = async (id: string) => (await world.read(id)).evmAddress;
const findPayment = (sessionId: string, text = hash, from: string | null = 'client') =>
  find({ sessionId, text, from, budget: 'customers' });

async function payment(id: string, over: Partial<TransactionReport> = {}): Promise<TransactionReport> {
  const contract = networkSpec('test', 'ethereum', 'local')!.tokens.USDT!.contract;
  const recipient = await addressOf(id);
  return {
    transactionHash: hash,
    succeeded: true,
    block: { number: 80, hash: '0xb', parentHash: '0xa', time: START + 5 },
    confirmations: 2,
    missing: 3,
    movements: [{ contract, currency: 'USDT', payer: '0xp', recipient, amount: 12_500_000n }],
    ...over,
  };
}

describe('requested networks', () => {
  test('every followed network of the session’s environment with such hashes gets one request, with the hash as the network writes it', async () => {
    const id = await world.make(storeId);
    const { result } = await findPayment(id, `https://etherscan.io/tx/${hash.toUpperCase().replace('0X', '0x')}`);
    expect(result).toMatchObject({ verdict: 'not_found', asked: ['ethereum', 'bsc'] });
    expect(lookups).toEqual([`test ethereum ${hash}`, `test bsc ${hash}`]);
    await findPayment(id, hash.slice(2));
    expect(lookups.slice(2)).toEqual([`test tron ${hash.slice(2)}`]);
  });

  test('no network gets a request for text without a hash or for a recorded payment', async () => {
    const id = await world.make(storeId);
    expect((await findPayment(id, 'hello')).result).toEqual({ verdict: 'unreadable', looksLike: null });
    await world.transfer(id, { cents: 1250, hash: hash });
    await world.settle(id);
    expect((await findPayment(id)).result).toMatchObject({ verdict: 'counted', amount: '12.50', short: null });
    expect(lookups).toEqual([]);
  });

  test('a repeated lookup is served from the cache within seconds and requested again later', async () => {
    const id = await world.make(storeId);
    for (let n = 0; n < 3; n++) await findPayment(id);
    expect(lookups).toHaveLength(2);
    clock.advance(15_000);
    await findPayment(id);
    expect(lookups).toHaveLength(4);
  });
});

describe('the result', () => {
  test('reports a payment that waits for confirmations on the network that knows it', async () => {
    const id = await world.make(storeId);
    const given = await payment(id);
    answers.ethereum = () => Promise.resolve(given);
    expect(await findPayment(id)).toMatchObject({
      transactionHash: hash,
      result: { verdict: 'waiting', network: 'ethereum', amount: '12.50', missing: 3 },
    });
  });

  test('reports a payment of another session as a payment to another address, recorded or not', async () => {
    const [mine, theirs] = [await world.make(storeId), await world.make(storeId)];
    const given = await payment(theirs);
    answers.ethereum = () => Promise.resolve(given);
    await world.transfer(theirs, { cents: 1250, hash: hash });
    await world.settle(theirs);
    const found = await findPayment(mine);
    expect(found.result).toEqual({ verdict: 'other_address', network: 'ethereum' });
    expect(JSON.stringify(found)).not.toContain(theirs);
  });

  test('names a network whose request fails and uses the responses of the others', async () => {
    const id = await world.make(storeId);
    answers.ethereum = () => Promise.reject(new ChainError('unavailable', 'no endpoint answered'));
    expect((await findPayment(id)).result).toEqual({
      verdict: 'not_found',
      asked: ['ethereum', 'bsc'],
      unanswered: ['ethereum'],
    });
  });

  test('limits concurrent lookups on a slow network, and sends more once it has responded', async () => {
    const id = await world.make(storeId);
    const answering: (() => void)[] = [];
    answers.tron = () => new Promise((resolve) => answering.push(() => resolve(null)));
    const text = () => randomBytes(32).toString('hex');
    const results: string[] = [];
    // The lookups that are held open would end after five seconds.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const questions = Array.from({ length: 20 }, async () =>
      results.push((await findPayment(id, text(), null)).result.verdict),
    );
    while (answering.length + results.length < 20) await new Promise((resolve) => setImmediate(resolve));
    expect(lookups).toHaveLength(16);
    expect(results).toEqual(['unanswered', 'unanswered', 'unanswered', 'unanswered']);

    answering.forEach((give) => give());
    await Promise.all(questions);
    answers.tron = () => Promise.resolve(null);
    expect((await findPayment(id, text(), null)).result).toMatchObject({ verdict: 'not_found' });
  });

  test('does not wait longer than five seconds for a network', async () => {
    const id = await world.make(storeId);
    answers.ethereum = () => new Promise(() => {});
    answers.bsc = () => new Promise(() => {});
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const found = findPayment(id);
    while (lookups.length < 2) await new Promise((resolve) => setImmediate(resolve));
    await vi.advanceTimersByTimeAsync(5000);
    expect((await found).result).toMatchObject({ verdict: 'unanswered', unanswered: ['ethereum', 'bsc'] });
  });

  test('returns not found for an unknown session and for malformed session ids', async () => {
    for (const id of ['cs_test_0000000000000000000000', 'x', '', `cs_test_${'a'.repeat(65)}`]) {
      await expect(findPayment(id)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
    }
  });
});

describe('the log for the operator', () => {
  test('reports a final payment below the final cursor that is not recorded', async () => {
    const id = await world.make(storeId);
    const given = await payment(id, { missing: 0 });
    answers.ethereum = () => Promise.resolve(given);
    expect((await findPayment(id)).result).toMatchObject({ verdict: 'waiting', missing: 0 });
    expect(errors).toMatchObject([
      {
        facts: { sessionId: id, network: 'ethereum', transactionHash: hash, block: 80, readThrough: 90 },
        text: /watcher has missed it/,
      },
    ]);
  });

  test('does not report a payment above the cursor, or one that was recorded during the lookup', async () => {
    const [ahead, behind] = [await world.make(storeId), await world.make(storeId)];
    const newer = await payment(ahead, {
      missing: 0,
      block: { number: 91, hash: '', parentHash: '', time: START + 5 },
    });
    answers.ethereum = () => Promise.resolve(newer);
    expect((await findPayment(ahead)).result).toMatchObject({ verdict: 'waiting', missing: 0 });
    clock.advance(3000);
    const given = await payment(behind, { missing: 0 });
    answers.ethereum = async () => {
      await world.transfer(behind, { cents: 1250, hash: hash });
      await world.settle(behind);
      return given;
    };
    expect((await findPayment(behind)).result).toMatchObject({ verdict: 'counted' });
    expect(errors).toEqual([]);
  });
});

describe('rate limits', () => {
  test('one client may send ten requests at once and then one a second, without limiting another client', async () => {
    const [one, other] = [await world.make(storeId), await world.make(storeId)];
    for (let n = 0; n < 10; n++) await findPayment(one);
    await expect(findPayment(other)).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfter: 1 });
    await expect(findPayment(other, hash, 'another')).resolves.toBeDefined();
    clock.advance(1000);
    await expect(findPayment(other)).resolves.toBeDefined();
  });

  test('the same limit applies to one session over all clients', async () => {
    const id = await world.make(storeId);
    for (let n = 0; n < 10; n++) await findPayment(id, hash, `caller ${n}`);
    await expect(findPayment(id, hash, 'an eleventh')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  });

  test('a caller without a client key has no limit', async () => {
    const id = await world.make(storeId);
    for (let n = 0; n < 30; n++) await expect(findPayment(id, hash, null)).resolves.toBeDefined();
  });
});

describe('the cost of lookups by strangers', () => {
  const text = () => randomBytes(32).toString('hex');
  const withBudget = (perDay: string) => {
    const context = testContext(db, clock, testConfig({ FINDER_LOOKUPS_PER_DAY: perDay }));
    return [1, 2].map(() => openFinder(context, () => [chain('tron')]));
  };

  test('daily lookups are bounded over all processes, and merchants have a separate budget of the same size', async () => {
    const id = await world.make(storeId);
    const finders = withBudget('5');
    const ofCustomers = await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        finders[n % 2]!({ sessionId: id, text: text(), from: null, budget: 'customers' }),
      ),
    );
    expect(lookups).toHaveLength(5);
    expect(ofCustomers.filter(({ result }) => result.verdict === 'unanswered')).toHaveLength(3);
    const found = await finders[0]!({ sessionId: id, text: text(), from: null, budget: 'merchants' });
    expect(found.result.verdict).toBe('not_found');
    clock.advance(86_400_000);
    await db.pool.query('UPDATE chains SET scanned_at = $1', [clock.now()]);
    const next = await finders[0]!({ sessionId: id, text: text(), from: null, budget: 'customers' });
    expect(next.result.verdict).toBe('not_found');
  });

  test('one client cannot use up the lookups of all', async () => {
    const id = await world.make(storeId);
    const sessions = await Promise.all(Array.from({ length: 6 }, () => world.make(storeId)));
    let refused = 0;
    for (let n = 0; n < 40; n++) {
      clock.advance(1000);
      await findPayment(sessions[n % 6]!, text(), 'one who tries').catch((error) => {
        expect(error).toMatchObject({ code: 'RATE_LIMITED' });
        refused++;
      });
    }
    expect([lookups.length, refused]).toEqual([30, 10]);
    await expect(findPayment(id, text(), 'another')).resolves.toMatchObject({ result: { verdict: 'not_found' } });
  });

  test('a hash unknown to every network is not looked up again at once', async () => {
    const id = await world.make(storeId);
    const unknown = text();
    for (let n = 0; n < 4; n++) {
      await findPayment(id, unknown, null);
      clock.advance(3500);
    }
    expect(lookups).toHaveLength(1);
    clock.advance(1500);
    await findPayment(id, unknown, null);
    expect(lookups).toHaveLength(2);
  });

  test.each([
    ['is in trouble', `trouble = 'unavailable: no endpoint'`],
    ['has not been read for minutes', `scanned_at = scanned_at - interval '121 seconds'`],
    ['was never followed', 'retired_at = now()'],
  ])('sends no lookup to a network that %s', async (_, change) => {
    const id = await world.make(storeId);
    await db.pool.query(`UPDATE chains SET ${change} WHERE network = 'tron'`);
    expect((await findPayment(id, text())).result.verdict).toBe('unanswered');
    expect(lookups).toEqual([]);
    await db.pool.query(`UPDATE chains SET retired_at = NULL WHERE network = 'tron'`);
  });

  test('sends no lookup to a public network whose final cursor is far behind', async () => {
    const context = testContext(db, clock, config);
    const spec = networkSpec('test', 'tron', 'public')!;
    await db.pool.query(`UPDATE chains SET final_time = $1`, [new Date(clock.now().getTime() - 3_600_000)]);
    expect(await takeLookup(context, { ...chain('tron'), spec }, 'customers')).toBe(false);
    expect(await takeLookup(context, chain('tron'), 'customers')).toBe(true);
    await db.pool.query(`UPDATE chains SET final_time = $1`, [clock.now()]);
    expect(await takeLookup(context, { ...chain('tron'), spec }, 'customers')).toBe(true);
  });
});
