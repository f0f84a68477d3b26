// The same guarantee on the other network families: a payment that the only endpoint withheld from the watcher is
// credited before the session ends.

import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openBalanceReader } from '@/lib/networks/families/clients';
import type { ChainAdapter } from '@/lib/networks/chain';
import type { NetworkSpec } from '@/lib/networks/networks';
import { openSolanaAdapter } from '@/lib/networks/families/solana/adapter';
import { openTronAdapter } from '@/lib/networks/families/tron/adapter';
import { tronAddress } from '@/lib/networks/families/tron/address';
import type { Context, Step } from '@/lib/platform/context';
import { expireSessions } from '@/lib/payments/sessions/expire/expire';
import { openTestClock, silentLog } from '@/testing/chain-clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { payment, type FakeSolanaNode } from '@/testing/solana/fake-solana-node';
import { startFakeTronNode, type FakeTronNode } from '@/testing/tron/fake-tron-node';
import { testConfig, testContext } from '@/testing/fixtures';
import { fakeKey } from '@/testing/solana/solana-ledger';
import { ata, localSolana, pay, PAYER, side, startSolana, T0, usdt } from '@/testing/solana/solana-scene';
import { localTron, TRON_PAYER, TRON_STRANGER, tronDecimals, tronUsdt } from '@/testing/tron/tron-pair';
import { transferLog } from '@/testing/tron/tron-shapes';
import { paymentsOf, watchedSession } from '@/testing/watching/watched-session';
import { watchStep } from '@/lib/payments/watcher/step';
import { readDiscrepancies } from '@/lib/ledger/reconciliation/discrepancies';
import { balanceStep } from './step';

const DUE = 12_340_000n;
const EXPIRES = T0 + 10 + 1800;
const clock = openTestClock(T0);
let database: TestDatabase;
let context: Context;
beforeAll(async () => {
  database = await openTestDatabase();
  context = testContext(database, clock, testConfig());
});
afterAll(() => database.close());
beforeEach(() => clock.set(T0 + 60));
afterEach(() => database.pool.query('UPDATE chains SET retired_at = now() WHERE retired_at IS NULL'));

/** The watcher, the balance check and the expiry of one worker with one endpoint. */
function worker(spec: NetworkSpec, url: string, adapter: ChainAdapter) {
  const chain = { environment: 'test', network: spec.network, spec, adapter } as const;
  const options = { spec, urls: [url], needed: 2, forCompleteness: true, clock, log: silentLog(), timeoutMs: 3000 };
  const watch = watchStep(chain);
  const balances = balanceStep(chain, openBalanceReader(options));
  const run = async (step: Step) => {
    while ((await step(context)).more);
  };
  return {
    watch: () => run(watch),
    async runFor(minutes: number) {
      for (let left = minutes; left > 0; left--) {
        for (const step of [watch, balances, expireSessions]) await run(step);
        clock.advance(61_000);
      }
    },
  };
}

const completed = { status: 'completed', transfers: [{ amount: String(DUE) }], entries: 1 };

describe('on TRON', () => {
  let node: FakeTronNode;
  beforeEach(async () => {
    node = await startFakeTronNode({ decimals: tronDecimals(), time: T0, jsonRpc: true });
    for (let left = 20; left > 0; left--) node.mine();
  });
  afterEach(() => node.close());

  type Tamper = FakeTronNode['tamper'];
  type Answer = { transactions?: unknown[]; block?: { transactions?: unknown[] }[] };
  const withoutTransactions: Tamper = ({ api }, answer) => {
    if (api === 'gettransactioninfobyblocknum') return [];
    const { block, ...own } = structuredClone(answer) as Answer;
    if (block) return { block: block.map(({ transactions: _, ...rest }) => rest) };
    return own.transactions ? { ...own, transactions: [] } : undefined;
  };

  it('credits a payment in a block that the watcher read as empty', async () => {
    const { id, watch, runFor } = await paidUnder(withoutTransactions);
    await watch();
    const { rows } = await database.pool.query('SELECT final_time FROM chains WHERE retired_at IS NULL');
    expect(rows[0].final_time.getTime() / 1000).toBeGreaterThan(EXPIRES);
    node.tamper = () => undefined;
    await runFor(6);
    expect(await paymentsOf(database.pool, id)).toMatchObject(completed);
  });

  it.each<[string, Tamper]>([
    [
      'blocks without the results of their transactions',
      ({ api }) => (api === 'gettransactioninfobyblocknum' ? [] : undefined),
    ],
    [
      'blocks without their last result',
      ({ api }, answer) => (api === 'gettransactioninfobyblocknum' ? (answer as unknown[]).slice(0, -1) : undefined),
    ],
    [
      'a solid block of an hour ago',
      ({ side: at, api }) => (at === 'walletsolidity' && /^get(now)?block$/.test(api) ? {} : undefined),
    ],
  ])('credits a payment after %s while the watcher read', async (_, tamper) => {
    const { id, watch, runFor } = await paidUnder(tamper);
    await watch();
    expect(await paymentsOf(database.pool, id)).toMatchObject({ status: 'pending', transfers: [] });
    node.tamper = () => undefined;
    await runFor(6);
    expect(await paymentsOf(database.pool, id)).toMatchObject(completed);
  });

  it('credits a payment that the node left out of its list of transfers', async () => {
    const other = { logs: [transferLog(tronUsdt, TRON_PAYER, TRON_STRANGER, 1n)] };
    for (let left = 20; left > 0; left--) node.mine([other]);
    const { id, watch, runFor } = await paidUnder(({ api }) => (api === 'eth_getLogs' ? [] : undefined));
    await watch();
    expect(node.calls.get('jsonrpc/eth_getLogs')).toBeGreaterThan(1);
    await runFor(6);
    expect(await paymentsOf(database.pool, id)).toMatchObject(completed);
  });

  /** A paid session past its expiry, on a node that gives false responses from before the payment on. */
  async function paidUnder(tamper: Tamper) {
    const wait = async () => {};
    const options = { spec: localTron, urls: [node.url], clock, log: silentLog(), timeoutMs: 3000, wait };
    const parts = worker(localTron, node.url, openTronAdapter(options));
    await parts.watch();
    const address = tronAddress(randomBytes(20).toString('hex'));
    const given = { createdAt: T0 + 10, networks: ['tron'], tronAddress: address };
    const { id } = await watchedSession(database.pool, given);
    node.tamper = tamper;
    node.mine([{ logs: [transferLog(tronUsdt, TRON_PAYER, address, DUE)] }], T0 + 100);
    for (let time = T0 + 160; time < EXPIRES + 1300; time += 60) node.mine([], time);
    clock.set(EXPIRES + 1300);
    return { id, ...parts };
  }
});

describe('on Solana', () => {
  let node: FakeSolanaNode;
  beforeEach(async () => {
    node = Object.assign(await startSolana(), { finalDepth: 4 });
    for (let left = 6; left > 0; left--) node.mine();
  });
  afterEach(() => node.close());

  type Tamper = FakeSolanaNode['tamper'];
  type Accounts = { context: object; value: unknown[] };
  const empty = (result: unknown) => ({ ...(result as Accounts), value: (result as Accounts).value.map(() => null) });

  it.each<[string, Tamper]>([
    ['silently empty accounts', ({ method }, result) => (method === 'getMultipleAccounts' ? empty(result) : undefined)],
    ['a truncated list of transactions', ({ method }) => (method === 'getSignaturesForAddress' ? [] : undefined)],
    [
      'accounts as of an hour ago',
      ({ method }, result) =>
        method === 'getMultipleAccounts' ? { ...(empty(result) as object), context: { slot: 1 } } : undefined,
    ],
  ])('credits a payment after %s while the watcher read', async (_, tamper) => {
    const { watch, runFor, owner, id } = await session();
    node.tamper = tamper;
    node.mine([pay(node, DUE, owner)], { time: T0 + 100 });
    await mineToTheEnd(watch);
    expect(await paymentsOf(database.pool, id)).toMatchObject({ status: 'pending', transfers: [] });
    node.tamper = () => undefined;
    await runFor(6);
    expect(await paymentsOf(database.pool, id)).toMatchObject(completed);
  });

  it('credits a payment that a flood buried before the watcher read it', async () => {
    const { watch, runFor, owner, id } = await session();
    node.mine([pay(node, DUE, owner)], { time: T0 + 100 });
    const mention = { mentions: [ata(owner)] };
    for (let block = 0; block < 8; block++) {
      node.mine(
        Array.from({ length: 500 }, () => mention),
        { time: T0 + 101 },
      );
    }
    await mineToTheEnd(watch);
    expect(await paymentsOf(database.pool, id)).toMatchObject({ status: 'pending', transfers: [] });
    await runFor(6);
    expect(await paymentsOf(database.pool, id)).toMatchObject(completed);
  });

  it('credits a payment into an unknown token account', async () => {
    const { watch, runFor, owner, id } = await session();
    node.tamper = ({ method }, result) =>
      method === 'getTokenAccountsByOwner' ? { ...(result as object), value: [] } : undefined;
    const to = { account: fakeKey(`auxiliary ${owner}`), owner };
    node.mine([payment(node, { from: side(PAYER), to, mint: usdt, amount: DUE })], { time: T0 + 100 });
    await mineToTheEnd(watch);
    expect(await paymentsOf(database.pool, id)).toMatchObject({ status: 'pending', transfers: [] });
    node.tamper = () => undefined;
    await runFor(6);
    expect(await paymentsOf(database.pool, id)).toMatchObject(completed);
  });

  it('reports money at an address of the other environment and credits it to no store', async () => {
    const { watch, runFor, owner, id } = await session();
    await database.pool.query(
      `UPDATE sessions SET environment = 'live', status = 'expired', closed_at = $2 WHERE id = $1`,
      [id, clock.now()],
    );
    // Those of other tests have no addresses of this network.
    await database.pool.query(
      `UPDATE sessions SET created_at = created_at - interval '60 days', closed_at = closed_at - interval '60 days' WHERE id <> $1`,
      [id],
    );
    node.mine([pay(node, DUE, owner)], { time: T0 + 100 });
    await mineToTheEnd(watch);
    await runFor(1);
    clock.advance(86_400_000);
    await runFor(8);
    expect(await paymentsOf(database.pool, id)).toMatchObject({ transfers: [], entries: 0 });
    expect(await readDiscrepancies(context, { isOpenOnly: true })).toMatchObject([
      { environment: 'test', network: 'solana', address: owner, currency: 'USDT', expected: 0n, found: DUE },
    ]);
  });

  async function session() {
    const adapter = openSolanaAdapter({
      spec: localSolana,
      urls: [node.url],
      clock,
      log: silentLog(),
      timeoutMs: 3000,
    });
    const parts = worker(localSolana, node.url, adapter);
    await parts.watch();
    const owner = fakeKey(randomBytes(16).toString('hex'));
    const given = { createdAt: T0 + 10, networks: ['solana'], solanaAddress: owner };
    return { ...parts, owner, ...(await watchedSession(database.pool, given)) };
  }

  async function mineToTheEnd(watch: () => Promise<void>) {
    for (let time = T0 + 160; time < EXPIRES + 300; time += 60) node.mine([], { time });
    clock.set(EXPIRES + 300);
    await watch();
  }
});
