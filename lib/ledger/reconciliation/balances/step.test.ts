// Completeness by balances: a payment that an endpoint withheld is credited before the session ends, even with one
// endpoint.

import { describe, expect, it } from 'vitest';
import { openBalanceReader } from '@/lib/networks/families/clients';
import { expireSessions } from '@/lib/payments/sessions/expire/expire';
import { recordHeartbeats } from '@/testing/heartbeat';
import { silentLog } from '@/testing/chain-clock';
import { makeFault, openQuarantine } from '@/testing/database/database-fault';
import { copyChain, type FakeNode } from '@/testing/evm/fake-evm-node';
import { DUE, localEthereum, T0, usdt, useWatchedChain } from '@/testing/watching/watched-chain';
import { watchStep } from '@/lib/payments/watcher/step';
import { closeDiscrepancy, explainDiscrepancy, readDiscrepancies } from '@/lib/ledger/reconciliation/discrepancies';
import { balanceStep } from './step';

const w = useWatchedChain();
const EXPIRES = T0 + 10 + 1800;

/** The watcher, the balance check and the expiry of one worker, with the node as its only endpoint by default. */
function worker(urls = [w.node().url]) {
  const chain = w.chainOf(...urls);
  const options = { spec: localEthereum, urls, needed: 2, forCompleteness: true, clock: w.clock, log: silentLog() };
  const watch = watchStep(chain);
  const balances = balanceStep(chain, openBalanceReader({ ...options, timeoutMs: 3000 }));
  return {
    watch: () => w.run(watch),
    balances: () => w.run(balances),
    /** A few minutes of all three. */
    async runFor(rounds: number) {
      for (let left = rounds; left > 0; left--) {
        await w.run(watch);
        await w.run(balances);
        while ((await expireSessions(w.context())).more);
        w.clock.advance(61_000);
      }
    },
  };
}

/** Mines blocks up to past the session's expiry, a minute apart, and sets the clock by them. */
function mineToTheEnd() {
  while (w.node().blocks.at(-1)!.time < EXPIRES + 300) w.node().mine([], w.node().blocks.at(-1)!.time + 60);
  w.clock.set(w.node().blocks.at(-1)!.time);
}

type Tamper = FakeNode['tamper'];
const isRange = ({ method, params }: Parameters<Tamper>[0]): boolean =>
  method === 'eth_getLogs' && !('blockHash' in (params[0] as object));

describe('before a session ends', () => {
  it.each<[string, Tamper]>([
    ['answers ranges of logs with nothing', (call) => (isRange(call) ? [] : undefined)],
    [
      'leaves out the last log of each range',
      (call, result) => (isRange(call) ? (result as unknown[]).slice(0, -1) : undefined),
    ],
    [
      'answers ranges as of an hour ago',
      (call, result) =>
        isRange(call) ? (result as { blockNumber: string }[]).filter((log) => Number(log.blockNumber) < 3) : undefined,
    ],
    ['has no logs at all', ({ method }) => (method === 'eth_getLogs' ? [] : undefined)],
    [
      'has no logs of one block',
      ({ method }, result) =>
        method === 'eth_getLogs'
          ? (result as { data: string }[]).filter(({ data }) => BigInt(data) !== DUE)
          : undefined,
    ],
  ])('credits a payment although the only endpoint %s', async (_, tamper) => {
    const { watch, runFor } = worker();
    await watch();
    const { id, address } = await w.session();
    w.node().tamper = tamper;
    w.mine(5);
    w.pay(address);
    w.mine(60);
    mineToTheEnd();
    await watch();
    expect(await w.paymentsOf(id)).toMatchObject({ status: 'pending', transfers: [] });
    await runFor(8);
    expect(await w.paymentsOf(id)).toMatchObject({
      status: 'completed',
      transfers: [{ amount: String(DUE) }],
      entries: 1,
    });
    expect(await readDiscrepancies(w.context(), { isOpenOnly: true })).toEqual([]);
  });

  it('credits a payment that the usual endpoint hides and another one reports', async () => {
    await worker().watch();
    const { id, address } = await w.session();
    w.pay(address);
    w.mine(8);
    mineToTheEnd();
    const honest = await w.newNode();
    try {
      copyChain(w.node(), honest);
      honest.finalDepth = w.node().finalDepth;
      // Its headers hide it too, so the usual endpoint's responses are consistent.
      for (const block of w.node().blocks) block.transactions.splice(0);
      const { watch, runFor } = worker([w.node().url, honest.url]);
      await watch();
      expect(await w.paymentsOf(id)).toMatchObject({ status: 'pending', transfers: [] });
      await runFor(6);
      expect(await w.paymentsOf(id)).toMatchObject({ status: 'completed', entries: 1 });
    } finally {
      await honest.close();
    }
  });

  it('waits at most the maximum hold for a balance that no endpoint reports, or only as of a time before the expiry', async () => {
    const { watch, runFor } = worker();
    await watch();
    const { id } = await w.session();
    mineToTheEnd();
    w.node().tamper = ({ method }) => (method === 'eth_call' ? '0x' : undefined);
    await runFor(3);
    expect((await w.paymentsOf(id)).status).toBe('pending');
    w.clock.set(EXPIRES + 3601);
    await recordHeartbeats(w.pool(), w.clock.now());
    await runFor(1);
    expect((await w.paymentsOf(id)).status).toBe('expired');
  });

  it('does not accept a balance from before the expiry as proof', async () => {
    const { watch, runFor } = worker();
    await watch();
    const { id } = await w.session();
    mineToTheEnd();
    await watch();
    w.node().finalDepth = 10;
    await runFor(3);
    expect((await w.paymentsOf(id)).status).toBe('pending');
    w.node().finalDepth = 4;
    await runFor(2);
    expect((await w.paymentsOf(id)).status).toBe('expired');
  });

  it('holds the session while no re-scan explains its balance, and ends it once an operator explains it', async () => {
    const { watch, runFor } = worker();
    await watch();
    const { id, address } = await w.session();
    const { id: other } = await w.session();
    mineToTheEnd();
    w.node().tamper = ({ method, params }) => {
      const [call] = params as [{ to: string; data: string }];
      const isOurs = method === 'eth_call' && call.to === usdt && call.data.endsWith(address.slice(2));
      return isOurs ? `0x${5_000_000n.toString(16).padStart(64, '0')}` : undefined;
    };
    await runFor(1);
    expect((await w.paymentsOf(other)).status).toBe('expired');
    expect((await w.paymentsOf(id)).status).toBe('pending');
    await runFor(6);
    w.clock.set(EXPIRES + 2 * 3600);
    await recordHeartbeats(w.pool(), w.clock.now());
    await runFor(1);
    expect((await w.paymentsOf(id)).status).toBe('pending');
    const open = await readDiscrepancies(w.context(), { isOpenOnly: true });
    expect(open).toMatchObject([{ address, currency: 'USDT', expected: 0n, found: 5_000_000n }]);
    // The rolling comparison may read fewer accounts of an address, and finds no discrepancy.
    await closeDiscrepancy(w.pool(), open[0]!, w.clock.now());
    await runFor(1);
    expect((await w.paymentsOf(id)).status).toBe('pending');
    await explainDiscrepancy(w.context(), { id: open[0]!.id, note: 'The token contract is wrong.' });
    await runFor(1);
    expect((await w.paymentsOf(id)).status).toBe('expired');
    await w.pool().query('TRUNCATE quarantine');
  });

  it('ends sessions without a payment at once, with seven requests for all of them', async () => {
    const { watch, balances } = worker();
    await watch();
    await w.session();
    mineToTheEnd();
    await watch();
    await balances();
    const sessions = await Promise.all(Array.from({ length: 5 }, () => w.session()));
    await expireSessions(w.context());
    expect((await w.paymentsOf(sessions[0]!.id)).status).toBe('pending');
    let requests = 0;
    w.node().hijack = () => (requests++, false);
    await balances();
    expect(requests).toBe(7);
    await expireSessions(w.context());
    for (const { id } of sessions) expect((await w.paymentsOf(id)).status).toBe('expired');
  });
});

it.each(['balance_checks', 'discrepancies'] as const)(
  'a session whose discrepancy cannot be stored (%s) does not delay other sessions and is proven later',
  async (table) => {
    const { watch, runFor } = worker();
    await watch();
    const [before, bad, after] = [await w.session(), await w.session(), await w.session()];
    mineToTheEnd();
    let isWrong = true;
    w.node().tamper = ({ method, params }) => {
      const [call] = params as [{ to: string; data: string }];
      const isBad = method === 'eth_call' && call.to === usdt && call.data.endsWith(bad.address.slice(2));
      return isWrong && isBad ? `0x${5_000_000n.toString(16).padStart(64, '0')}` : undefined;
    };
    const row =
      table === 'discrepancies'
        ? `NEW.address = '${bad.address}'`
        : `NEW.session_id = '${bad.id}' AND NEW.state <> 'due'`;
    const endFault = await makeFault(w.pool(), { table, on: 'INSERT OR UPDATE', row });
    try {
      await runFor(7);
      for (const { id } of [before, after]) expect((await w.paymentsOf(id)).status).toBe('expired');
      expect((await w.paymentsOf(bad.id)).status).toBe('pending');
      expect(await openQuarantine(w.pool())).toMatchObject([
        { kind: 'address', error: expect.stringContaining('a fault') },
      ]);
    } finally {
      await endFault();
    }
    isWrong = false;
    await w.pool().query('UPDATE quarantine SET next_run_at = $1', [w.clock.now()]);
    await runFor(2);
    expect((await w.paymentsOf(bad.id)).status).toBe('expired');
    expect(await openQuarantine(w.pool())).toEqual([]);
  },
);

describe('once a day', () => {
  it('credits a payment missed after the end of its session, and sends no request while nothing is due', async () => {
    const { watch, balances, runFor } = worker();
    await watch();
    const { id, address } = await w.session();
    mineToTheEnd();
    await runFor(2);
    expect((await w.paymentsOf(id)).status).toBe('expired');
    w.node().tamper = (call) => (isRange(call) ? [] : undefined);
    w.pay(address);
    w.mine(60);
    await watch();
    expect((await w.paymentsOf(id)).transfers).toEqual([]);
    w.clock.set(EXPIRES + 80_000);
    await recordHeartbeats(w.pool(), w.clock.now());
    w.node().calls.clear();
    await balances();
    expect(w.node().calls.size).toBe(0);
    w.clock.set(EXPIRES + 90_000);
    await recordHeartbeats(w.pool(), w.clock.now());
    await runFor(6);
    const late = { status: 'expired', exception: 'late', transfers: [{ amount: String(DUE) }] };
    expect(await w.paymentsOf(id)).toMatchObject(late);
  });

  it('compares every address of a month, in batches', async () => {
    const { watch, balances, runFor } = worker();
    await watch();
    const sessions = await Promise.all(Array.from({ length: 45 }, () => w.session()));
    mineToTheEnd();
    await runFor(3);
    w.clock.advance(86_400_000);
    const requested = new Set<string>();
    w.node().tamper = ({ method, params }) => {
      if (method === 'eth_call') requested.add((params[0] as { data: string }).data.slice(-40));
      return undefined;
    };
    for (let pieces = 8; pieces > 0; pieces--) {
      await balances();
      w.clock.advance(21_000);
    }
    for (const { address } of sessions) expect(requested).toContain(address.slice(2));
    requested.clear();
    await balances();
    expect(requested.size).toBe(0);
  });
});
