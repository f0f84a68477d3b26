// No network blocks another: one pass of the whole worker, as the cron route runs it, over two networks of which one
// fails.

import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { localChainId } from '@/testing/local-chain-id';
import { networkSpec } from '@/lib/networks/networks';
import { openTestClock } from '@/testing/chain-clock';
import { recordHeartbeats } from '@/testing/heartbeat';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeFault } from '@/testing/database/database-fault';
import { startFakeNode, transferLog, type FakeNode } from '@/testing/evm/fake-evm-node';
import { testConfig, testContext } from '@/testing/fixtures';
import { T0 } from '@/testing/watching/watched-chain';
import { paymentsOf, watchedSession } from '@/testing/watching/watched-session';
import { runOnce } from './run-once';

const PAYER = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
const PRICE = 1234n * 10n ** 16n;
const clock = openTestClock(T0);
const ids = { ethereum: localChainId('ethereum'), bsc: localChainId('bsc') } as const;
const specOf = (network: keyof typeof ids) => networkSpec('test', network, 'local')!;

let db: TestDatabase;
let nodes: Record<keyof typeof ids, FakeNode>;
let endFault = async () => {};
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(async () => {
  clock.set(T0 + 60);
  nodes = { ethereum: await start('ethereum'), bsc: await start('bsc') };
});
afterEach(async () => {
  await endFault();
  endFault = async () => {};
  await Promise.all(Object.values(nodes).map((node) => node.close()));
  await db.pool.query('UPDATE chains SET retired_at = now() WHERE retired_at IS NULL');
});

async function start(network: keyof typeof ids): Promise<FakeNode> {
  const tokens = Object.values(specOf(network).tokens);
  const decimals = Object.fromEntries(tokens.map((token) => [token.contract, token.decimals]));
  const node = await startFakeNode({ chainId: ids[network], decimals, time: T0 });
  node.finalDepth = 4;
  return node;
}

const FAULTS: [string, () => Promise<void>][] = [
  ['has an endpoint that does not answer', () => nodes.ethereum.close()],
  ['has an endpoint that answers nonsense', async () => void (nodes.ethereum.tamper = () => 'nonsense')],
  ['has an endpoint that answers nothing', async () => void (nodes.ethereum.tamper = () => null)],
  [
    'cannot move its cursor',
    async () =>
      void (endFault = await makeFault(db.pool, { table: 'chains', on: 'UPDATE', row: `NEW.network = 'ethereum'` })),
  ],
];

it.each(FAULTS)(
  'a network that %s does not block payments and expiry on other networks',
  async (_, fail) => {
    const config = testConfig({ TEST_ETHEREUM_URLS: nodes.ethereum.url, TEST_BSC_URLS: nodes.bsc.url });
    const context = testContext(db, clock, config);
    const make = (networks: string[], expiresIn = 1800) =>
      watchedSession(db.pool, { createdAt: T0 + 10, networks, expiresIn });
    const [paid, unpaid, both] = [await make(['bsc']), await make(['bsc'], 600), await make(['ethereum', 'bsc'], 600)];
    await runOnce(context);
    await fail();
    nodes.bsc.mine([{ logs: [transferLog(specOf('bsc').tokens.USDT!.contract, PAYER, paid.address, PRICE)] }]);
    nodes.bsc.mine([], T0 + 1000);
    for (let left = 8; left > 0; left--) nodes.bsc.mine();
    clock.set(T0 + 1100);
    const outcomes = await runOnce(context);
    expect(outcomes.filter(({ failed, name }) => failed && !name.includes('ethereum'))).toEqual([]);

    expect(await paymentsOf(db.pool, paid.id)).toMatchObject({ status: 'completed', events: ['payment.completed'] });
    expect(await paymentsOf(db.pool, unpaid.id)).toMatchObject({ status: 'expired', events: ['payment.expired'] });
    // Only chain time ends it, and the time of one of its networks is unknown. The setting limits the wait for it.
    expect((await paymentsOf(db.pool, both.id)).status).toBe('pending');
    clock.set(T0 + 10 + 600 + config.EXPIRY_HOLD_SECONDS + 1);
    await recordHeartbeats(db.pool, clock.now());
    await runOnce(context);
    expect((await paymentsOf(db.pool, both.id)).status).toBe('expired');
  },
  60_000,
);
