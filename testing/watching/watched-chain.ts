// The complete environment of a watcher for one test file: a database, a clock that stands still, and the step that
// connects them. The programmable node is new for every test.

import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { openEvmAdapter } from '@/lib/networks/families/evm/adapter';
import { localChainId } from '@/testing/local-chain-id';
import { networkSpec } from '@/lib/networks/networks';
import type { FollowedChain } from '@/lib/networks/registry';
import { readConfig } from '@/lib/platform/config/config';
import type { Context, Step } from '@/lib/platform/context';
import { watchStep } from '@/lib/payments/watcher/step';
import { openTestClock, silentLog } from '@/testing/chain-clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { startFakeNode, transferLog, type FakeNode } from '@/testing/evm/fake-evm-node';
import { paymentsOf, watchedSession } from './watched-session';

/** Unix time of the nodes' genesis; sessions are created ten seconds later. */
export const T0 = 1_760_000_000;
/** A session's price, 12.34 USDT, in base units. */
export const DUE = 12_340_000n;
const PAYER = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';

export const localEthereum = networkSpec('test', 'ethereum', 'local')!;
export const usdt = localEthereum.tokens.USDT!.contract;
const decimals = Object.fromEntries(
  Object.values(localEthereum.tokens).map((token) => [token.contract, token.decimals]),
);

export const payment = (address: string, hash?: string) => ({
  logs: [transferLog(usdt, PAYER, address, DUE)],
  ...(hash ? { hash } : {}),
});

/** Registers a file's hooks and returns the test helpers. */
export function useWatchedChain() {
  const clock = openTestClock(T0);
  let database: TestDatabase;
  let node: FakeNode;
  const newNode = () => startFakeNode({ chainId: localChainId('ethereum'), decimals: { ...decimals }, time: T0 });
  const chainOf = (...urls: string[]): FollowedChain => ({
    environment: 'test',
    network: 'ethereum',
    spec: localEthereum,
    adapter: openEvmAdapter({ spec: localEthereum, urls, clock, log: silentLog(), timeoutMs: 3000 }),
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
    node.finalDepth = 4;
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
    pay: (address: string, hash?: string) => void node.mine([payment(address, hash)]),
    session: (networks = ['ethereum']) => watchedSession(database.pool, { createdAt: T0 + 10, networks }),
    paymentsOf: (id: string) => paymentsOf(database.pool, id),
    /** The row of the followed chain. */
    row: async () => (await database.pool.query('SELECT * FROM chains WHERE retired_at IS NULL')).rows[0],
  };
}
