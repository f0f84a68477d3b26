// The worker's screening step with a real hook on this machine: what each answer means, and that a hook which fails, lies or is slow makes
// only its own addresses wait.

import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type http from 'node:http';
import { networkSpec } from '@/lib/networks/networks';
import type { Context } from '@/lib/platform/context';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { TestClock, testConfig, testContext } from '@/testing/fixtures';
import { openReceiver, verifies, type Behaviour, type Receiver } from '@/testing/receivers/receiver';
import { LIST_KEY, loadList } from '@/testing/screening/signed-list';
import { requestPayee, paymentVerdict } from './payment';
import type { Oracle } from './sources/oracle';
import { runScreening, screeningSteps } from './step';

const SECRET = 'a secret of the screening hook';
const spec = networkSpec('test', 'ethereum', 'local')!;
const [GOOD, BAD, THIRD] = ['a1', 'b2', 'c3'].map((byte) => `0x${byte.repeat(20)}`) as [string, string, string];

let db: TestDatabase;
let clock: TestClock;
let hook: Receiver;
let behave: Behaviour;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(async () => {
  clock = new TestClock();
  await db.pool.query('TRUNCATE screenings, screening_hooks, sanctioned_addresses, sanctions_lists');
  behave = () => json({ result: 'clear' });
  hook = await openReceiver((n, call) => behave(n, call));
});
afterEach(() => hook.close());

const json = (value: unknown) => (response: http.ServerResponse) =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
const contextOf = (over: Record<string, string> = {}): Context =>
  testContext(
    db,
    clock,
    testConfig({ SCREENING_HOOK_URL: hook.url, SCREENING_HOOK_SECRET: SECRET, LOG_LEVEL: 'silent', ...over }),
  );
const of = (payee: string) =>
  ({ environment: 'test', network: 'ethereum', payee, sessionId: null, now: clock.now() }) as const;
const ask = (payee: string, context = contextOf()) => requestPayee(db.pool, context.config, of(payee));
const run = (context = contextOf()) => runScreening(context, { spec, oracle: null });
const verdict = (payee: string, context = contextOf()) => paymentVerdict(db.pool, context.config, of(payee));
const rows = async () => (await db.pool.query('SELECT * FROM screenings ORDER BY id')).rows;
const asked = () => hook.received.map(({ body }) => (JSON.parse(body.toString()) as { address: string }).address);

describe('the hook', () => {
  it('gets a signed question and its answer counts: clear, hit with an entity, or unknown', async () => {
    const answers: Record<string, unknown> = {
      [GOOD]: { result: 'clear' },
      [BAD]: { result: 'hit', entity: 'Mixer\u0007 of\nSomebody' },
      [THIRD]: { result: 'unknown' },
    };
    behave = (_, { body }) => json(answers[(JSON.parse(body.toString()) as { address: string }).address]);
    for (const one of [GOOD, BAD, THIRD]) await ask(one);
    expect(await verdict(GOOD)).toBe('unknown');
    await run();
    expect([await verdict(GOOD), await verdict(BAD), await verdict(THIRD)]).toEqual(['clear', 'hit', 'unknown']);
    expect((await rows())[1]).toMatchObject({ source: 'hook', entity: 'Mixer of Somebody', checked_at: clock.now() });
    const [call] = hook.received;
    expect(verifies(call!, SECRET)).toBe(true);
    expect(call!.headers['x-service-event-type']).toBe('screening');
    expect(JSON.parse(call!.body.toString())).toEqual({
      environment: 'test',
      network: 'ethereum',
      address: GOOD,
      role: 'payee',
      transaction: null,
    });
  });

  it.each<[string, Behaviour]>([
    ['an error status', () => 500],
    ['a redirect', () => 302],
    ['no body', () => 200],
    ['another word', () => json({ result: 'ok' })],
    ['a list', () => json([{ result: 'clear' }])],
    ['a clear answer beside a hit', () => json({ result: ['clear', 'hit'] })],
    ['no JSON', () => (response) => void response.writeHead(200).end('clear')],
    [
      'an endless answer',
      () => (response) => void response.writeHead(200).end(`{"result":"clear","x":"${'y'.repeat(99_999)}"}`),
    ],
    ['a cut connection', () => 'close'],
  ])('that answers with %s leaves the address unknown, and is asked again later', async (_, how) => {
    behave = how;
    await ask(GOOD);
    await run();
    expect(await verdict(GOOD)).toBe('unknown');
    expect(await rows()).toMatchObject([{ verdict: 'unknown', attempts: 1, reason: expect.stringMatching(/hook/) }]);
    await run();
    expect(hook.received).toHaveLength(1);
    clock.advance(6);
    behave = () => json({ result: 'clear' });
    await run();
    expect(await verdict(GOOD)).toBe('clear');
  });

  it('is asked once while its answer holds, and again a day later', async () => {
    await ask(GOOD);
    await run();
    await ask(GOOD);
    await run();
    expect(hook.received).toHaveLength(1);
    clock.advance(86_400);
    expect(await verdict(GOOD)).toBe('unknown');
    behave = () => json({ result: 'hit' });
    await ask(GOOD);
    await run();
    expect(await verdict(GOOD)).toBe('hit');
  });

  it('keeps a hit: a later clear answer does not release it', async () => {
    behave = () => json({ result: 'hit' });
    await ask(BAD);
    await run();
    behave = () => json({ result: 'clear' });
    clock.advance(90_000);
    await ask(BAD);
    await run();
    expect(await verdict(BAD)).toBe('hit');
    expect(hook.received).toHaveLength(1);
  });

  it('is paused after failures, tried by one request, and used again once it answers', async () => {
    behave = () => 503;
    const addresses = Array.from({ length: 12 }, (_, n) => `0x${(n + 16).toString(16).repeat(20)}`);
    for (const one of addresses) await ask(one);
    await run();
    const before = hook.received.length;
    expect(before).toBeLessThan(12);
    clock.advance(400);
    await run();
    expect(hook.received).toHaveLength(before + 1);
    clock.advance(700);
    behave = () => json({ result: 'clear' });
    await run();
    clock.advance(700);
    await run();
    expect(await Promise.all(addresses.map((one) => verdict(one)))).toEqual(addresses.map(() => 'clear'));
  });

  it('that never answers for one address answers for the others', async () => {
    behave = (_, { body }) => (body.toString().includes(BAD) ? 'hang' : json({ result: 'clear' }));
    for (const one of [BAD, GOOD, THIRD]) await ask(one);
    await run();
    expect([await verdict(GOOD), await verdict(THIRD)]).toEqual(['clear', 'clear']);
    expect((await rows())[0]).toMatchObject({ verdict: 'unknown', reason: 'the hook does not answer' });
    // Each outcome is stored in a transaction of its own: the others were stored while this one was still awaited.
    const stored = await db.pool.query('SELECT address FROM screenings ORDER BY xmin::text::bigint');
    expect(stored.rows.at(-1)).toEqual({ address: BAD });
  });
});

describe('the queue', () => {
  const insert = (environment: string, role: string, hash: string, dueAgo: number) =>
    db.pool.query(
      `INSERT INTO screenings (environment, network, address, role, transaction_hash, requested_at, next_at)
       VALUES ($1::"Environment", 'ethereum', $2, $3, $4, $5, $5)`,
      [environment, GOOD, role, hash, new Date(clock.now().getTime() - dueAgo * 1000)],
    );

  it('asks about a payee before a flood of senders that came earlier', async () => {
    for (let n = 0; n < 60; n++) await insert('test', 'sender', `0x${n}`, 100 - n);
    await insert('test', 'payee', '', 0);
    await run();
    expect(await verdict(GOOD)).toBe('clear');
    expect((await rows()).filter((row) => row.verdict === 'unknown')).toHaveLength(21);
  });

  it('asks the oracle once about an address with many transactions, and the hook about each of them', async () => {
    for (let n = 0; n < 10; n++) await insert('test', 'sender', `0x${n}`, 0);
    await insert('test', 'payee', '', 0);
    let calls = 0;
    const oracle: Oracle = async () => {
      calls++;
      return { verdict: 'hit', entity: 'x' };
    };
    await runScreening(contextOf({ SCREENING_ORACLE_LOCAL: BAD }), { spec, oracle });
    expect([calls, hook.received.length]).toEqual([1, 11]);
    expect((await rows()).map((row) => row.verdict)).toEqual(Array(11).fill('hit'));
  });

  it('of live payments goes on while the hook is paused after failures about test payments', async () => {
    behave = (_, { body }) => (body.toString().includes('"test"') ? 500 : json({ result: 'clear' }));
    for (let n = 0; n < 12; n++) await insert('test', 'sender', `0x${n}`, 0);
    await run();
    const before = hook.received.length;
    expect(before).toBeLessThan(12);
    await insert('live', 'payee', '', 0);
    await runScreening(contextOf(), { spec: networkSpec('live', 'ethereum', 'public')!, oracle: null });
    expect(hook.received).toHaveLength(before + 1);
    expect((await rows()).at(-1)).toMatchObject({ environment: 'live', verdict: 'clear' });
    clock.advance(6);
    await run();
    expect(hook.received).toHaveLength(before + 1);
  });
});

describe('several sources', () => {
  it('make a hit of any hit, and leave an address unknown while one source of two is silent', async () => {
    const both = contextOf({ SCREENING_LIST_KEY: LIST_KEY });
    await ask(GOOD, both);
    await run(both);
    expect(await verdict(GOOD, both)).toBe('unknown');
    expect(await rows()).toMatchObject([{ reason: 'no sanctions list is loaded' }]);
    await loadList(db.pool, [BAD], { asOf: clock.now().toISOString() });
    behave = () => 500;
    await ask(BAD, both);
    clock.advance(10);
    await run(both);
    expect([await verdict(GOOD, both), await verdict(BAD, both)]).toEqual(['unknown', 'hit']);
  });

  it('an old list still answers, unless the settings let money wait for a newer one', async () => {
    const list = { SCREENING_LIST_KEY: LIST_KEY, SCREENING_HOOK_URL: '', SCREENING_HOOK_SECRET: '' };
    await loadList(db.pool, [BAD], { asOf: clock.now().toISOString() });
    clock.advance(8 * 86_400);
    const wait = contextOf({ ...list, SCREENING_STALE_LIST: 'wait' });
    await ask(GOOD, wait);
    await run(wait);
    expect(await verdict(GOOD, wait)).toBe('unknown');
    clock.advance(10);
    await run(contextOf(list));
    expect(await verdict(GOOD, wait)).toBe('clear');
    await ask(BAD, wait);
    await run(wait);
    expect(await verdict(BAD, wait)).toBe('hit');
  });
});

describe('workers', () => {
  it('that run at once ask about each address once', async () => {
    const addresses = Array.from({ length: 20 }, (_, n) => `0x${(n + 16).toString(16).repeat(20)}`);
    for (const one of addresses) await ask(one);
    await Promise.all([run(), run(), run()]);
    expect(asked().toSorted()).toEqual(addresses.toSorted());
  });

  it('one that died while it asked is replaced after its lease, and its late answer changes nothing', async () => {
    await ask(GOOD);
    let answerLate = () => {};
    behave = () => (response) => void (answerLate = () => json({ result: 'clear' })(response));
    const dead = run();
    await expect.poll(() => hook.received.length).toBe(1);
    clock.advance(61);
    behave = () => json({ result: 'hit' });
    await run();
    answerLate();
    await dead;
    expect(await verdict(GOOD)).toBe('hit');
  });

  it('do not clear an address that a list names which was loaded while they asked', async () => {
    const both = contextOf({ SCREENING_LIST_KEY: LIST_KEY });
    await loadList(db.pool, [THIRD], { asOf: '2026-11-01T00:00:00Z' });
    await ask(BAD, both);
    let answer = () => {};
    behave = () => (response) => void (answer = () => json({ result: 'clear' })(response));
    const running = run(both);
    await expect.poll(() => hook.received.length).toBe(1);
    await loadList(db.pool, [THIRD, BAD], { asOf: '2026-11-02T00:00:00Z' });
    answer();
    await running;
    expect(await verdict(BAD, both)).toBe('hit');
  });

  it('do not clear an address that was requested while a list was loaded which names it', async () => {
    const both = contextOf({ SCREENING_LIST_KEY: LIST_KEY });
    await loadList(db.pool, [THIRD], { asOf: '2026-11-01T00:00:00Z' });
    const blocker = await db.pool.connect();
    await blocker.query('BEGIN');
    await blocker.query(`INSERT INTO sanctioned_addresses (family, address, entity) VALUES ('evm', $1, 'x')`, [BAD]);
    const loading = loadList(db.pool, [THIRD, BAD], { asOf: '2026-11-02T00:00:00Z' });
    const waits = `SELECT 1 FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'
      AND pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database())`;
    const waiting = async () => (await db.pool.query(waits)).rowCount;
    // The load has looked through the known addresses, and its list does not count yet.
    await expect.poll(waiting).toBe(1);
    let answer = () => {};
    behave = () => (response) => void (answer = () => json({ result: 'clear' })(response));
    await ask(BAD, both);
    const running = run(both);
    await expect.poll(() => hook.received.length).toBe(1);
    await blocker.query('ROLLBACK');
    blocker.release();
    await loading;
    answer();
    await running;
    expect(await verdict(BAD, both)).toBe('hit');
    expect(await rows()).toMatchObject([{ verdict: 'hit', source: 'list', next_at: null }]);
  });
});

describe('without a source', () => {
  const off = () => contextOf({ SCREENING_HOOK_URL: '', SCREENING_HOOK_SECRET: '' });

  it('no step exists, nothing is requested, and every address is clear', async () => {
    const chain = { environment: 'test', network: 'ethereum', spec, adapter: {} as never } as const;
    expect(screeningSteps(off(), [chain])).toEqual([]);
    expect(screeningSteps(contextOf(), [chain])).toMatchObject([{ name: 'screen test ethereum' }]);
    await ask(GOOD, off());
    expect(await rows()).toEqual([]);
    expect(await verdict(GOOD, off())).toBe('clear');
  });

  it('a hit of former settings still counts, and so does a role that is no longer screened', async () => {
    behave = () => json({ result: 'hit' });
    await ask(BAD);
    await run();
    expect(await verdict(BAD, off())).toBe('hit');
    const senders = contextOf({ SCREENED_ROLES: 'sender' });
    await ask(GOOD, senders);
    expect(await verdict(GOOD, senders)).toBe('clear');
    expect(await rows()).toHaveLength(1);
  });
});
