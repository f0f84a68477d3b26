// The complete environment of a Solana watcher for one test file: a database, a clock that stands still, and the step
// that connects them. The programmable node is new for every test.

import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { openSolanaAdapter } from '@/lib/networks/families/solana/adapter';
import type { FollowedChain } from '@/lib/networks/registry';
import { readConfig } from '@/lib/platform/config/config';
import type { Context, Step } from '@/lib/platform/context';
import { watchStep } from '@/lib/payments/watcher/step';
import { openTestClock, silentLog } from '@/testing/chain-clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import type { FakeSolanaNode } from './fake-solana-node';
import { localSolana, pay, startSolana, T0 } from './solana-scene';
import { fakeKey } from './solana-ledger';
import { paymentsOf, watchedSession } from '@/testing/watching/watched-session';

/** A session's price, 12.34 USDT, in base units. */
export const DUE = 12_340_000n;
/** Slots between the newest and the final one. */
const FINAL_DEPTH = 4;

export type SolanaSession = { id: string; owner: string };

/** Registers a file's hooks and returns the test helpers. */
export function useWatchedSolana() {
  const clock = openTestClock(T0);
  let database: TestDatabase;
  let node: FakeSolanaNode;
  const newNode = async () => Object.assign(await startSolana(), { finalDepth: FINAL_DEPTH });
  const chainOf = (...urls: string[]): FollowedChain => ({
    environment: 'test',
    network: 'solana',
    spec: localSolana,
    adapter: openSolanaAdapter({ spec: localSolana, urls, clock, log: silentLog(), timeoutMs: 3000 }),
  });
  const context = (): Context => ({
    pool: database.pool,
    clock,
    log: silentLog(),
    config: readConfig({
      DATABASE_URL: database.url,
      MASTER_KEYS: `1:${Buffer.from([...Array(32).keys()]).toString('base64')}`,
      EVIDENCE_KEY: Buffer.alloc(32, 9).toString('base64'),
    }),
  });

  beforeAll(async () => void (database = await openTestDatabase()));
  afterAll(() => database.close());
  beforeEach(async () => {
    clock.set(T0 + 60);
    node = await newNode();
    for (let slot = 0; slot < FINAL_DEPTH + 1; slot++) node.mine();
  });
  afterEach(async () => {
    await node.close();
    await database.pool.query('UPDATE chains SET retired_at = now() WHERE retired_at IS NULL');
  });

  return {
    clock,
    context,
    chainOf,
    newNode,
    node: () => node,
    pool: () => database.pool,
    /** A new step on the node. */
    step: () => watchStep(chainOf(node.url)),
    /** Runs a step until no work is left. */
    run: async (step: Step = watchStep(chainOf(node.url)), on: Context = context()) => {
      while ((await step(on)).more);
    },
    mine: (count: number) => {
      for (let left = count; left > 0; left--) node.mine();
    },
    pay: (owner: string, amount = DUE) => void node.mine([pay(node, amount, owner)]),
    session: async (networks = ['solana'], expiresIn?: number): Promise<SolanaSession> => {
      const owner = fakeKey(randomBytes(16).toString('hex'));
      const given = { createdAt: T0 + 1, networks, solanaAddress: owner, ...(expiresIn && { expiresIn }) };
      const { id } = await watchedSession(database.pool, given);
      return { id, owner };
    },
    paymentsOf: (id: string) => paymentsOf(database.pool, id),
    /** The row of the followed chain. */
    row: async () => (await database.pool.query('SELECT * FROM chains WHERE retired_at IS NULL')).rows[0],
    /** The stored cursors of an owner's accounts. */
    marksOf: async (owner: string) =>
      (
        await database.pool.query(
          `SELECT account, currency, amount::text, signature FROM account_cursors m JOIN chains c ON c.id = m.chain_id
           WHERE owner = $1 AND retired_at IS NULL ORDER BY account`,
          [owner],
        )
      ).rows,
  };
}
