// Small amounts that the watcher leaves unread on Solana (lib/networks/families/solana/reading/dust.ts) cause no
// re-scan and no alarm.

import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openBalanceReader } from '@/lib/networks/families/clients';
import { openSolanaAdapter } from '@/lib/networks/families/solana/adapter';
import type { Context, Step } from '@/lib/platform/context';
import { expireSessions } from '@/lib/payments/sessions/expire/expire';
import { openTestClock, silentLog } from '@/testing/chain-clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import type { FakeSolanaNode } from '@/testing/solana/fake-solana-node';
import { testConfig, testContext } from '@/testing/fixtures';
import { fakeKey } from '@/testing/solana/solana-ledger';
import { localSolana, pay, startSolana, T0 } from '@/testing/solana/solana-scene';
import { paymentsOf, watchedSession } from '@/testing/watching/watched-session';
import { watchStep } from '@/lib/payments/watcher/step';
import { reconcileWith } from '@/lib/ledger/reconciliation/step';
import { readDiscrepancies } from '@/lib/ledger/reconciliation/discrepancies';
import { balanceStep } from './step';

const DUE = 12_340_000n;
const CENT = 10_000n;
const EXPIRES = T0 + 10 + 1800;
const clock = openTestClock(T0);
let database: TestDatabase;
let context: Context;
let node: FakeSolanaNode;
beforeAll(async () => {
  database = await openTestDatabase();
  context = testContext(database, clock, testConfig());
});
afterAll(() => database.close());
beforeEach(async () => {
  clock.set(T0 + 60);
  node = Object.assign(await startSolana(), { finalDepth: 4 });
  for (let left = 6; left > 0; left--) node.mine();
});
afterEach(async () => {
  await node.close();
  await database.pool.query('UPDATE chains SET retired_at = now() WHERE retired_at IS NULL');
});

const run = async (step: Step) => {
  while ((await step(context)).more);
};

async function openWorker() {
  const parts = { spec: localSolana, urls: [node.url], clock, log: silentLog(), timeoutMs: 3000 };
  const adapter = openSolanaAdapter(parts);
  const chain = { environment: 'test', network: 'solana', spec: localSolana, adapter } as const;
  const watch = watchStep(chain);
  const reader = openBalanceReader({ ...parts, needed: 2, forCompleteness: true });
  const balances = balanceStep(chain, reader);
  const reconcile = reconcileWith(chain, { reader, signer: null });
  await run(watch);
  const owner = fakeKey(randomBytes(16).toString('hex'));
  const given = { createdAt: T0 + 10, networks: ['solana'], solanaAddress: owner };
  const { id } = await watchedSession(database.pool, given);
  return {
    owner,
    id,
    watch: () => run(watch),
    /** Empty blocks until the session's expiry. */
    async mineToTheEnd() {
      for (let time = T0 + 160; time < EXPIRES + 300; time += 60) node.mine([], { time });
      clock.set(EXPIRES + 300);
      await run(watch);
    },
    async runFor(minutes: number) {
      for (let left = minutes; left > 0; left--) {
        for (const step of [watch, balances, expireSessions, reconcile]) await run(step);
        node.mine([], { time: EXPIRES + 300 });
        clock.advance(61_000);
      }
    },
  };
}

describe('a balance above the stored transfers by less than a cent', () => {
  it('lets the session end without a re-scan, a request for a transaction or a discrepancy', async () => {
    const { owner, id, watch, mineToTheEnd, runFor } = await openWorker();
    node.mine([pay(node, 5n * CENT, owner)], { time: T0 + 100 });
    for (let n = 0; n < 5; n++) node.mine([], { time: T0 + 101 });
    await watch();
    for (let n = 0; n < 5; n++) node.mine([pay(node, 3n, owner)], { time: T0 + 110 });
    await mineToTheEnd();
    node.calls.clear();
    await runFor(8);
    const { status, transfers } = await paymentsOf(database.pool, id);
    expect([status, transfers.map(({ amount }) => amount)]).toEqual(['failed', [String(5n * CENT)]]);
    expect(node.calls.get('getTransaction') ?? 0).toBe(0);
    expect(await readDiscrepancies(context, { isOpenOnly: false })).toEqual([]);
    const { rows } = await database.pool.query('SELECT max(rescans) AS rescans FROM balance_checks');
    expect(rows[0].rescans ?? 0).toBe(0);
  });

  it('starts a re-scan where the session lacks less than a cent, and completes it', async () => {
    const { owner, id, watch, mineToTheEnd, runFor } = await openWorker();
    node.mine([pay(node, DUE - 3n, owner)], { time: T0 + 100 });
    for (let n = 0; n < 5; n++) node.mine([], { time: T0 + 101 });
    await watch();
    node.mine([pay(node, 3n, owner)], { time: T0 + 110 });
    node.tamper = ({ method }, result) => {
      if (method !== 'getMultipleAccounts') return undefined;
      const { context: at, value } = result as { context: object; value: unknown[] };
      return { context: at, value: value.map(() => null) };
    };
    await mineToTheEnd();
    expect(await paymentsOf(database.pool, id)).toMatchObject({ status: 'pending' });
    node.tamper = () => undefined;
    await runFor(6);
    expect(await paymentsOf(database.pool, id)).toMatchObject({ status: 'completed' });
  });
});
