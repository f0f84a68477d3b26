// The requests for comparing balances are a share of an endpoint's budget below watching and refunds, and stores take turns in it.

import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openBalanceReader, openSender } from '@/lib/networks/families/clients';
import { openedBudgets } from '@/lib/networks/endpoints/budgets';
import { openChains, sendingOptions, type FollowedChain } from '@/lib/networks/registry';
import { tronAddress } from '@/lib/networks/families/tron/address';
import { fromUnixSeconds } from '@/lib/platform/clock';
import type { Context, Step } from '@/lib/platform/context';
import { expireSessions } from '@/lib/payments/sessions/expire/expire';
import { openTestClock, silentLog } from '@/testing/chain-clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { startFakeTronNode, type FakeTronNode } from '@/testing/tron/fake-tron-node';
import { makeChain, makeStore, testConfig, testContext } from '@/testing/fixtures';
import { refundOrder } from '@/testing/refunds/refund-on-scene';
import { answerSending } from '@/testing/refunds/sending-answers';
import { localTron, TRON_PAYER, TRON_T0, tronDecimals, tronUsdt } from '@/testing/tron/tron-pair';
import { transferLog } from '@/testing/tron/tron-shapes';
import { paymentsOf, watchedSession } from '@/testing/watching/watched-session';
import { watchStep } from '@/lib/payments/watcher/step';
import { takeDue, type DueCheck } from './due';
import { balanceStep } from './step';

const REQUESTS_A_DAY = 500;
const FLOOD = 10 * REQUESTS_A_DAY;
const EXPIRES = TRON_T0 + 10 + 1800;
const clock = openTestClock(TRON_T0);
let database: TestDatabase;
let node: FakeTronNode;
beforeAll(async () => void (database = await openTestDatabase()));
afterAll(() => database.close());
beforeEach(async () => {
  clock.set(TRON_T0 + 60);
  node = await startFakeTronNode({ decimals: tronDecimals(), time: TRON_T0, jsonRpc: true });
  for (let left = 20; left > 0; left--) node.mine();
});
afterEach(() => node.close());

/** A worker whose only endpoint has a small plan. */
function openWorker() {
  const settings = { TEST_TRON_URLS: node.url, TEST_TRON_BUDGETS: `day=${REQUESTS_A_DAY}` };
  const config = testConfig(settings);
  const context = testContext(database, clock, config);
  const deps = { clock, log: silentLog() };
  const chain = openChains(config, deps).find(({ network }) => network === 'tron')!;
  const reader = openBalanceReader({ ...sendingOptions(config, deps, chain, 'proof'), forCompleteness: true });
  return {
    context,
    watch: watchStep(chain),
    balances: balanceStep(chain, reader),
    sender: openSender(sendingOptions(config, deps, chain)),
    usedToday: () =>
      openedBudgets(config)
        .find(({ network }) => network === 'tron')!
        .budget.usedToday(),
  };
}

/** Runs a step until it has nothing more to do. Returns the error that ended it, or null. */
async function run(step: Step, context: Context): Promise<Error | null> {
  try {
    while ((await step(context)).more);
    return null;
  } catch (error) {
    return error as Error;
  }
}

function mineUntil(time: number): void {
  while (node.blocks.at(-1)!.time < time * 1000) node.mine([], node.blocks.at(-1)!.time / 1000 + 60);
  clock.set(node.blocks.at(-1)!.time / 1000);
}

const open = async (storeId: string) => {
  const tron = tronAddress(randomBytes(20).toString('hex'));
  const given = { createdAt: TRON_T0 + 10, networks: ['tron'], tronAddress: tron, storeId };
  return { ...(await watchedSession(database.pool, given)), tron };
};

/** Unpaid sessions of one store that have ended, as its API key or the visitors of its payment links opened them. */
async function flood(storeId: string, count: number, budget: 'store' | 'links' = 'store'): Promise<void> {
  const addresses = Array.from({ length: count }, () => tronAddress(randomBytes(20).toString('hex')));
  await database.pool.query(
    `INSERT INTO sessions (id, store_id, environment, order_id, amount_total, currency, amount_due, currencies, networks,
       created_at, expires_at, address_index, evm_address, tron_address, solana_address, budget)
     SELECT 'cs_test_' || a, $1, 'test', 'o' || a, 100, 'USD', 100, '{USDT}', '{tron}', $2, $3, 1000000 + abs(hashtext(a)) % 100000000,
       'e' || a, a, 's' || a, $5::"SessionBudget" FROM unnest($4::text[]) AS a ON CONFLICT DO NOTHING`,
    [storeId, fromUnixSeconds(TRON_T0 + 10), fromUnixSeconds(EXPIRES), addresses, budget],
  );
}

const storeOf = async (context: Context) => (await makeStore(database, context.config)).storeId;

const statesOf = async (ids: readonly string[]) => {
  const { rows } = await database.pool.query<{ session_id: string; state: string }>(
    'SELECT session_id, state FROM balance_checks WHERE session_id = ANY($1)',
    [ids],
  );
  return ids.map((id) => rows.find((row) => row.session_id === id)?.state ?? null);
};

describe('while proofs are short', () => {
  it('proves another store’s session and sends its refund while one store has ten times more unpaid sessions than the endpoint has requests', async () => {
    const { context, watch, balances, sender, usedToday } = openWorker();
    await run(watch, context);
    const [flooding, other] = [await storeOf(context), await storeOf(context)];
    const unpaid = await open(other);
    const partial = await open(flooding);
    node.mine([{ logs: [transferLog(tronUsdt, TRON_PAYER, partial.tron, 1_000_000n)] }]);
    await flood(flooding, FLOOD);
    mineUntil(EXPIRES + 1500);
    await run(watch, context);
    expect((await paymentsOf(database.pool, partial.id)).transfers).toHaveLength(1);

    await balances(context);
    expect(await statesOf([partial.id, unpaid.id])).toEqual(['proven', 'proven']);

    const errors: (Error | null)[] = [];
    for (let minutes = 0; minutes < 10; minutes++) {
      errors.push(await run(balances, context));
      while ((await expireSessions(context)).more);
      clock.advance(60_000);
    }
    expect((await paymentsOf(database.pool, unpaid.id)).status).toBe('expired');
    expect((await paymentsOf(database.pool, partial.id)).status).toBe('failed');
    // The failing step reports the shortage to the operator.
    expect(errors.map((error) => error?.message)).toContain(
      'endpoint 1 reserves the rest of its day for reading payments and refunds',
    );
    // The other sessions of the store wait, and none ends without its proof.
    const { rows } = await database.pool.query(
      `SELECT count(*)::int AS n FROM sessions WHERE store_id = $1 AND status = 'pending'`,
      [flooding],
    );
    expect(rows[0].n).toBeGreaterThan(FLOOD / 2);

    answerSending({ fake: node });
    const before = usedToday();
    const { order, from } = refundOrder(localTron);
    expect(await sender.draft(order, from)).toMatchObject({ unsigned: expect.anything() });
    expect(await sender.broadcast('00')).toBe('accepted');
    expect(usedToday()).toBeGreaterThan(before);
  });
});

describe('the next sessions', () => {
  const spec = localTron;
  const chain = {
    environment: 'test',
    network: 'tron',
    spec,
    adapter: { readsBlocks: true },
  } as unknown as FollowedChain;
  const taking = async (most: number) => {
    await database.pool.query(`UPDATE chains SET retired_at = now() WHERE retired_at IS NULL`);
    await database.pool.query(`UPDATE sessions SET status = 'canceled', closed_at = now() WHERE status = 'pending'`);
    const chainId = await makeChain(database, 'tron', EXPIRES + 60);
    const now = fromUnixSeconds(EXPIRES + 60);
    return () => takeDue(database.pool, { chain, chainId, most, now });
  };
  const storeWith = async (make: (storeId: string) => Promise<void>): Promise<string> => {
    const { storeId } = await makeStore(database, testConfig());
    await make(storeId);
    return storeId;
  };
  const storesOf = async (due: readonly DueCheck[]) => {
    const text = 'SELECT store_id, budget FROM sessions WHERE id = ANY($1)';
    return (await database.pool.query(text, [due.map(({ sessionId }) => sessionId)])).rows;
  };

  it('are taken from every store in turn', async () => {
    const take = await taking(9);
    const stores = [
      await storeWith((id) => flood(id, 300)),
      await storeWith((id) => flood(id, 5)),
      await storeWith((id) => flood(id, 5)),
    ];
    const rows = await storesOf(await take());
    for (const store of stores) expect(rows.filter((row) => row.store_id === store)).toHaveLength(3);
  });

  it('of a store are those that its payment links opened only after all others', async () => {
    const take = await taking(10);
    await storeWith(async (id) => {
      await flood(id, 200, 'links');
      await flood(id, 15);
    });
    const budgets = (rows: { budget: string }[]) => rows.map(({ budget }) => budget);
    expect(budgets(await storesOf(await take()))).toEqual(Array.from({ length: 10 }, () => 'store'));
    expect(budgets(await storesOf(await take())).toSorted()).toEqual([
      ...Array.from({ length: 5 }, () => 'links'),
      ...Array.from({ length: 5 }, () => 'store'),
    ]);
  });

  it('are mostly those about to expire, however many stores have sessions in the daily round, and the round continues', async () => {
    const take = await taking(20);
    for (let n = 0; n < 30; n++) await storeWith((id) => flood(id, 1));
    await database.pool.query(
      `WITH ended AS (UPDATE sessions SET status = 'expired', closed_at = now() WHERE status = 'pending' RETURNING id)
       INSERT INTO balance_checks (session_id, chain_id, next_at)
       SELECT ended.id, chains.id, $1 FROM ended, chains WHERE retired_at IS NULL`,
      [fromUnixSeconds(EXPIRES)],
    );
    const busy = await storeWith((id) => flood(id, 100));
    const rows = await storesOf(await take());
    const pending = rows.filter((row) => row.store_id === busy).length;
    expect(pending).toBeGreaterThanOrEqual(15);
    expect(pending).toBeLessThanOrEqual(17);
  });

  it('are compared in the tokens that they offer, and after their end in every token of the network', async () => {
    const take = await taking(10);
    const { storeId } = await makeStore(database, testConfig());
    await flood(storeId, 2);
    const { rows } = await database.pool.query<{ id: string }>(
      `UPDATE sessions SET status = 'expired', closed_at = now() WHERE id = (SELECT min(id) FROM sessions WHERE store_id = $1) RETURNING id`,
      [storeId],
    );
    const ended = rows[0]!.id;
    await database.pool.query(
      `INSERT INTO balance_checks (session_id, chain_id, next_at) SELECT $1, id, $2 FROM chains WHERE retired_at IS NULL`,
      [ended, fromUnixSeconds(EXPIRES)],
    );
    const due = await take();
    expect(due.find(({ sessionId }) => sessionId === ended)?.currencies).toEqual(['USDT', 'USDC']);
    expect(due.find(({ sessionId }) => sessionId !== ended)?.currencies).toEqual(['USDT']);
  });
});
