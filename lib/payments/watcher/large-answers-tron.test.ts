// One TRON block with more token transfers than java-tron lists at once (10,000).

import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { openChains } from '@/lib/networks/registry';
import { tronAddress } from '@/lib/networks/families/tron/address';
import { openTestClock, silentLog } from '@/testing/chain-clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { startFakeTronNode, type FakeTronNode } from '@/testing/tron/fake-tron-node';
import { makeStore, testConfig, testContext } from '@/testing/fixtures';
import { TRON_PAYER, TRON_T0, tronDecimals, tronUsdt } from '@/testing/tron/tron-pair';
import { transferLog } from '@/testing/tron/tron-shapes';
import { paymentsOf, watchedSession } from '@/testing/watching/watched-session';
import { watchStep } from './step';

const clock = openTestClock(TRON_T0);
let database: TestDatabase;
let node: FakeTronNode;
beforeAll(async () => void (database = await openTestDatabase()));
afterAll(() => database.close());
beforeEach(async () => {
  clock.set(TRON_T0 + 60);
  node = await startFakeTronNode({ decimals: tronDecimals(), time: TRON_T0, jsonRpc: true });
  for (let left = 19; left > 0; left--) node.mine();
  // A transfer in a recent solid block proves that the node lists transfers.
  const someone = tronAddress('77'.repeat(20));
  for (let left = 30; left > 0; left--) node.mine([{ logs: [transferLog(tronUsdt, TRON_PAYER, someone, 1n)] }]);
});
afterEach(() => node.close());

it.each([false, true])(
  'is passed over, so that the payments after it are credited (there is such a block: %s)',
  async (isThere) => {
    const config = testConfig({ TEST_TRON_URLS: node.url });
    const context = testContext(database, clock, config);
    const chain = openChains(config, { clock, log: silentLog() }).find(({ network }) => network === 'tron')!;
    const watch = watchStep(chain);
    const run = async () => {
      while ((await watch(context)).more);
    };
    clock.set(node.blocks.at(-1)!.time / 1000);
    await run();
    const { storeId } = await makeStore(database, config);
    const address = tronAddress(randomBytes(20).toString('hex'));
    const given = { createdAt: clock.now().getTime() / 1000, networks: ['tron'], tronAddress: address, storeId };
    const { id } = await watchedSession(database.pool, given);
    const spam = node.mine().number;
    node.mine([{ logs: [transferLog(tronUsdt, TRON_PAYER, address, 12_340_000n)] }]);
    for (let left = 40; left > 0; left--) node.mine();
    let listed = 0;
    node.tamper = ({ api, body }) => {
      if (api !== 'eth_getLogs') return undefined;
      listed++;
      const [{ fromBlock, toBlock }] = (body as { params: [{ fromBlock: string; toBlock: string }] }).params;
      const isOver = isThere && Number(fromBlock) <= spam && Number(toBlock) >= spam;
      return isOver ? { error: { code: -32005, message: 'query returned more than 10000 results' } } : undefined;
    };
    clock.set(node.blocks.at(-1)!.time / 1000);
    for (let left = 10; left > 0; left--) {
      await run();
      clock.advance(70_000);
    }
    expect(listed).toBeGreaterThan(0);
    expect((await database.pool.query('SELECT trouble FROM chains WHERE retired_at IS NULL')).rows).toEqual([
      { trouble: null },
    ]);
    expect((await paymentsOf(database.pool, id)).status).toBe('completed');
    await database.pool.query('UPDATE chains SET retired_at = now() WHERE retired_at IS NULL');
  },
  60_000,
);
