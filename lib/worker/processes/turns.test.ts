// Two worker processes send the requests of one to a network's endpoint, and the second goes on when the first ends, dies or fails. Which
// steps no process runs is known.

import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { readWorkerSteps } from '@/lib/installation/status/worker-steps';
import { recordEndpoints } from '@/lib/installation/status/record-endpoints';
import { tipOutflowStep } from '@/lib/ledger/reconciliation/tip/step';
import type { FreezingSigner } from '@/lib/ledger/reconciliation/tip/freeze';
import { systemClock } from '@/lib/platform/clock';
import { watchStep } from '@/lib/payments/watcher/step';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { testConfig, testContext } from '@/testing/fixtures';
import { closeSessions, openNetworkScene, openPayee, type NetworkScene } from '@/testing/watching/network-scene';
import { RECONCILED } from '@/testing/refunds/refund-on-scene';
import type { NamedStep } from '../named-step';
import { recordFailure } from '../failures';
import { endHeartbeat, heartbeat } from './heartbeat';
import { hasTurns, openTurns } from './turns';

let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(async () => {
  await db.pool.query('DELETE FROM step_turns');
  await db.pool.query('DELETE FROM worker_processes');
});

const context = () => testContext(db, systemClock, testConfig());
/** As a process that died: nothing gives its turns back. */
const expire = () => db.pool.query(`UPDATE step_turns SET held_until = clock_timestamp() - interval '1 second'`);

const NAME = 'own wallets test tron';

/** A machine of its own. */
const elsewhere = (): { host: string; pid: number } => ({ host: randomUUID(), pid: 1 });
const here = (pid = process.pid) => ({ host: 'a', pid });

/** A step that counts its runs, as a process of its own runs it. */
function processOf(clock = { at: 0 }, fails = () => false, place = elsewhere()) {
  const runs = { count: 0 };
  const turns = openTurns({ pool: db.pool, clock: { now: () => new Date(clock.at) } }, randomUUID(), place);
  const step = turns.share({
    name: NAME,
    everyMilliseconds: 0,
    run: async () => {
      runs.count++;
      if (fails()) throw new Error('no endpoint answers');
      return { more: true };
    },
  });
  return { clock, runs, turns, run: () => step.run(context()) };
}

test('one of two processes runs a step, as often as it wants', async () => {
  const [one, two] = [processOf(), processOf()];
  for (let left = 5; left > 0; left--) {
    expect(await one.run()).toEqual({ more: true });
    expect(await two.run()).toEqual({ more: false, skipped: true });
  }
  expect([one.runs.count, two.runs.count]).toEqual([5, 0]);
});

test.each([
  ['ends', (one: ReturnType<typeof processOf>) => one.turns.end()],
  ['dies', () => expire()],
])('the second process goes on within ten seconds after the first %s', async (_, stop) => {
  const [one, two] = [processOf(), processOf()];
  await one.run();
  await two.run();
  await stop(one);
  two.clock.at += 10_000;
  expect(await two.run()).toEqual({ more: true });
  // And the first gets no turn back while the second lives.
  one.clock.at += 10_000;
  expect(await one.run()).toEqual({ more: false, skipped: true });
});

test('a process keeps its turns while none of its steps runs, and renews one row for all of them', async () => {
  const [one, two] = [processOf(), processOf()];
  await one.run();
  // As after twenty seconds.
  await expire();
  const turn = async () => {
    const { rows } = await db.pool.query({
      text: 'SELECT step, xmin::text, held_until FROM step_turns WHERE step = $1',
      values: [NAME],
    });
    return rows;
  };
  const before = await turn();
  expect(before).toHaveLength(1);
  one.clock.at += 10_000;
  await one.turns.renewal.run(context());
  expect(await turn()).toEqual(before);
  expect(await two.run()).toEqual({ more: false, skipped: true });
});

test('nothing is left an hour later of a process that died', async () => {
  const [one, two] = [processOf(), processOf()];
  await one.run();
  await db.pool.query(`UPDATE step_turns SET held_until = clock_timestamp() - interval '61 minutes'`);
  expect(await two.run()).toEqual({ more: true });
  const { rows } = await db.pool.query(
    'SELECT count(DISTINCT holder)::int AS holders, count(*)::int AS rows FROM step_turns',
  );
  expect(rows).toEqual([{ holders: 1, rows: 2 }]);
});

/** Another process that runs the step, as its heartbeat says. */
const register = () =>
  db.pool.query({
    text: `INSERT INTO worker_processes (id, host, runs, knows, started_at, seen_at) VALUES ($1, 'b', $2, $2, now(), clock_timestamp())`,
    values: [randomUUID(), [NAME]],
  });

test.each([
  ['another number', () => here(spawnSync('true').pid)],
  ['the same number, as in a container that was started again', () => here()],
])('a process goes on at once with the turns of one that died on its machine and had %s', async (_, place) => {
  expect(await processOf({ at: 0 }, undefined, place()).run()).toEqual({ more: true });
  expect(await processOf({ at: 0 }, undefined, here()).run()).toEqual({ more: true });
});

test.each([
  ['that runs on its machine', () => here(process.ppid)],
  ['of another machine, whose number is free here', () => ({ host: 'b', pid: spawnSync('true').pid })],
])('a process leaves its turns to one %s', async (_, place) => {
  expect(await processOf({ at: 0 }, undefined, place()).run()).toEqual({ more: true });
  expect(await processOf({ at: 0 }, undefined, here()).run()).toEqual({ more: false, skipped: true });
});

test('a process on which the step fails leaves it to another for half a minute', async () => {
  await register();
  const [one, two] = [processOf({ at: 0 }, () => true), processOf()];
  await expect(one.run()).rejects.toThrow('no endpoint answers');
  expect(await one.run()).toEqual({ more: false, skipped: true });
  expect(await two.run()).toEqual({ more: true });
  await two.turns.end();
  one.clock.at += 30_000;
  await expect(one.run()).rejects.toThrow('no endpoint answers');
});

test('the only process tries a step that fails again at once, so that it guards as soon as it can', async () => {
  let isBroken = true;
  const one = processOf({ at: 0 }, () => isBroken);
  await expect(one.run()).rejects.toThrow('no endpoint answers');
  await expect(one.run()).rejects.toThrow('no endpoint answers');
  isBroken = false;
  expect(await one.run()).toEqual({ more: true });
});

test('a run that hangs for two minutes loses its turn to another process', async () => {
  const [clock, two] = [{ at: 0 }, processOf()];
  const turns = openTurns({ pool: db.pool, clock: { now: () => new Date(clock.at) } }, randomUUID(), elsewhere());
  const share = (name: string, run: NamedStep['run']) => turns.share({ name, everyMilliseconds: 0, run });
  const hanging = share(NAME, () => new Promise(() => {}));
  const other = share('own wallets test bsc', async () => ({ more: false }));
  await other.run(context());
  void hanging.run(context());
  for (let seconds = 0; seconds <= 120; seconds += 10) {
    clock.at = seconds * 1000;
    await other.run(context());
  }
  await db.pool.query(`UPDATE step_turns SET held_until = held_until - interval '20 seconds'`);
  expect(await two.run()).toEqual({ more: true });
});

test('a step that fails stays failed while it is another process’s turn, and its alarm is raised', async () => {
  const { runLoop } = await import('../loop');
  const stop = new AbortController();
  let calls = 0;
  const run: NamedStep['run'] = async () => {
    if (++calls === 1) throw new Error('no endpoint answers');
    if (calls === 4) stop.abort();
    return { more: false, skipped: true };
  };
  await runLoop(context(), { name: NAME, everyMilliseconds: 0, run }, stop.signal);
  const { rows } = await db.pool.query({ text: 'SELECT ended_at FROM step_failures WHERE step = $1', values: [NAME] });
  expect(rows).toEqual([{ ended_at: null }]);
});

test('a failure that another process recorded is closed by the process that has the turn and for which the step works', async () => {
  const { runLoop } = await import('../loop');
  const stop = new AbortController();
  // Works, is another process's turn, which fails there, and works again.
  const runs: NamedStep['run'][] = [
    async () => ({ more: true }),
    async () => {
      await recordFailure(context(), NAME, new Error('no endpoint answers'));
      return { more: false, skipped: true };
    },
    async () => {
      stop.abort();
      return { more: false };
    },
  ];
  await runLoop(context(), { name: NAME, everyMilliseconds: 0, run: (given) => runs.shift()!(given) }, stop.signal);
  const { rows } = await db.pool.query('SELECT ended_at IS NOT NULL AS ended FROM step_failures WHERE step = $1', [
    NAME,
  ]);
  expect(rows).toEqual([{ ended: true }]);
});

test('a process keeps its turns while the database is away', async () => {
  await register();
  const away = Object.assign(new Error('terminating connection'), { code: '57P01' });
  const one = processOf({ at: 0 }, () => {
    if (one.runs.count === 1) throw away;
    return false;
  });
  await expect(one.run()).rejects.toThrow('terminating connection');
  expect(await one.run()).toEqual({ more: true });
});

test('a step of another name is not shared', () => {
  const named = (name: string) => ({ name }) as NamedStep;
  expect(['watch test tron', 'refunds test tron', 'send mails'].filter((name) => hasTurns(named(name)))).toEqual([]);
  expect(hasTurns(named('guard the wallets on live bsc'))).toBe(true);
});

/** The reading steps of one worker process on the network. The watcher has its own lease. */
function readers(scene: NetworkScene, isShared: boolean) {
  const chain = scene.openChain();
  const signer = {
    state: async () => ({
      wallets: { test: RECONCILED, live: RECONCILED },
      frozen: false,
      reason: null,
      journal: { records: 0 },
    }),
  } as unknown as FreezingSigner;
  const settings = { TREASURY_WALLETS: [], COLD_WALLETS: [] };
  const turns = openTurns(scene.context, randomUUID(), elsewhere());
  const [guard, endpoints] = [
    tipOutflowStep(chain, { endpoints: [scene.openChain().adapter], needed: 1 }, settings, signer),
    recordEndpoints(chain),
  ]
    .map((run, at) => ({
      name: at === 0 ? 'guard the wallets on test bsc' : 'endpoints of test bsc',
      run,
      everyMilliseconds: 0,
    }))
    .map((step) => (isShared && hasTurns(step) ? turns.share(step) : step));
  return { watch: watchStep(chain), guard: guard as NamedStep, endpoints: endpoints as NamedStep };
}

/** `isShared`: with turns. `isOpen`: with an open session, for which the watcher reads every block. */
type Measured = { readonly isShared?: boolean; readonly isOpen?: boolean };

/** Requests in four minutes of the network, at the worker's intervals. */
async function requestsOf(processes: number, { isShared = true, isOpen = false }: Measured = {}): Promise<number> {
  await closeSessions(context());
  await db.pool.query('DELETE FROM step_turns');
  const scene = await openNetworkScene(context(), 'bsc');
  try {
    if (isOpen) await openPayee(scene.context, 'bsc');
    const all = Array.from({ length: processes }, () => readers(scene, isShared));
    let tick = 0;
    const run = (ticks: number) =>
      scene.run(ticks, async () => {
        for (const { watch, guard, endpoints } of all) {
          while ((await watch(scene.context)).more);
          if (tick % 10 === 0) for (const step of [guard, endpoints]) await step.run(scene.context);
        }
        tick++;
      });
    const total = () => [...scene.node.calls.values()].reduce((sum, count) => sum + count, 0);
    await run(60);
    const before = total();
    await run(480);
    expect(await scene.trouble()).toBeNull();
    return total() - before;
  } finally {
    await scene.node.close();
  }
}

test('two worker processes send an endpoint no more requests than one, and without turns they would', async () => {
  const [one, two, apart] = [await requestsOf(1), await requestsOf(2), await requestsOf(2, { isShared: false })];
  const isOpen = true;
  const open = [await requestsOf(1, { isOpen }), await requestsOf(2, { isOpen })] as const;
  console.log(
    `requests in four minutes: one process ${one}, two ${two}, two without turns ${apart}; open: ${open.join(', ')}`,
  );
  expect(apart).toBeGreaterThan(one * 1.5);
  expect(two).toBeLessThanOrEqual(one * 1.05);
  expect(open[0]).toBeGreaterThan(one * 2);
  expect(open[1]).toBeLessThanOrEqual(open[0] * 1.05);
});

test('a step that no process runs is named, until a process runs it or the last that knows it is gone', async () => {
  const given = { ...context(), clock: systemClock };
  const knows = ['watch test bsc', 'refunds test bsc', 'send mails'];
  const [one, two] = [randomUUID(), randomUUID()];
  await heartbeat({ id: one, runs: ['watch test bsc'], knows }).run(given);
  expect(await readWorkerSteps(db.pool)).toEqual({
    processes: 1,
    steps: 3,
    missing: ['refunds test bsc', 'send mails'],
  });
  await heartbeat({ id: two, runs: ['refunds test bsc', 'send mails'], knows }).run(given);
  expect(await readWorkerSteps(db.pool)).toEqual({ processes: 2, steps: 3, missing: [] });
  // The second one died a minute ago.
  await db.pool.query(`UPDATE worker_processes SET seen_at = clock_timestamp() - interval '61 seconds' WHERE id = $1`, [
    two,
  ]);
  expect((await readWorkerSteps(db.pool)).missing).toEqual(['refunds test bsc', 'send mails']);
  await endHeartbeat(given, one);
  expect(await readWorkerSteps(db.pool)).toEqual({ processes: 0, steps: 0, missing: [] });
});
