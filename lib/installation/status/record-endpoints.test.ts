// At the start of the worker every endpoint proves its chain and its tokens, or is refused with a clear sentence. None waits
// for another.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { networkSpec } from '@/lib/networks/networks';
import { openChains } from '@/lib/networks/registry';
import type { Log } from '@/lib/platform/log';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { startFakeNode, type FakeNode } from '@/testing/evm/fake-evm-node';
import { TestClock, testConfig, testContext } from '@/testing/fixtures';
import { recordEndpoints } from './record-endpoints';

const bsc = networkSpec('test', 'bsc', 'local')!;
const tokens = Object.values(bsc.tokens);
const clock = new TestClock();
let database: TestDatabase;
let nodes: FakeNode[] = [];

beforeAll(async () => {
  database = await openTestDatabase();
  const time = clock.now().getTime() / 1000;
  const start = (decimals: number, chainId = bsc.chainId!) =>
    startFakeNode({ chainId, decimals: Object.fromEntries(tokens.map(({ contract }) => [contract, decimals])), time });
  nodes = await Promise.all([start(18), start(6), start(18, 56), start(18)]);
  nodes[3]!.hijack = (request) => (request.socket.destroy(), true);
});
afterAll(async () => {
  for (const node of nodes) await node.close();
  await database.close();
});

it('every endpoint proves its chain at the start or is refused, and the log says which and why', async () => {
  const said: string[] = [];
  const log = {
    child: () => log,
    info: (_: object, message: string) => void said.push(`info ${message}`),
    warn: (_: object, message: string) => void said.push(`warn ${message}`),
  } as unknown as Log;
  const urls = nodes.map(({ url }) => url).join(' ');
  const config = testConfig({ TEST_BSC_URLS: urls, TEST_ETHEREUM_URLS: '' });
  const context = { ...testContext(database, clock, config), log };
  const [chain] = openChains(config, context);
  await recordEndpoints(chain!)(context);

  expect(said.toSorted()).toEqual([
    'info endpoint 1 serves the configured chain and its tokens',
    `warn endpoint 2 does not serve bsc (local): USDT at ${bsc.tokens.USDT!.contract} has 6 decimals instead of 18`,
    'warn endpoint 3 does not serve bsc (local): its chain id is 56 instead of 31338',
    'warn endpoint 4 could not be reached for eth_chainId',
  ]);
  const { rows } = await database.pool.query('SELECT position, state, height::int FROM endpoints ORDER BY position');
  expect(rows).toEqual([
    { position: 1, state: 'ok', height: 0 },
    { position: 2, state: 'refused', height: null },
    { position: 3, state: 'refused', height: null },
    { position: 4, state: 'failing', height: null },
  ]);
});
