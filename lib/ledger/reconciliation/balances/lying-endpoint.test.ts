// One of two endpoints fakes payments at unpaid addresses. Block-by-block re-scans are expensive, so their blocks per
// day are limited.

import { afterEach, describe, expect, it } from 'vitest';
import { openBalanceReader } from '@/lib/networks/families/clients';
import { openEvmAdapter } from '@/lib/networks/families/evm/adapter';
import { expireSessions } from '@/lib/payments/sessions/expire/expire';
import { silentLog } from '@/testing/chain-clock';
import { openQuarantine } from '@/testing/database/database-fault';
import { copyChain, forge, transferLog, type FakeNode } from '@/testing/evm/fake-evm-node';
import { DUE, localEthereum, T0, usdt, useWatchedChain } from '@/testing/watching/watched-chain';
import { watchStep } from '@/lib/payments/watcher/step';
import { maintainQuarantine } from '@/lib/worker/quarantine';
import { explainDiscrepancy, readDiscrepancies } from '@/lib/ledger/reconciliation/discrepancies';
import { balanceStep } from './step';

const w = useWatchedChain();
const EXPIRES = T0 + 10 + 1800;
const HOUR = 3_600_000;
const opened: FakeNode[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((node) => node.close()));
  await w.pool().query('TRUNCATE quarantine');
});

const BALANCE_OF = '0x70a08231';
const PAYER = `0x${'7'.repeat(40)}`;

/**
 * Fakes a payment to each address: in balances, in responses for ranges of blocks and in receipts of transactions. Its
 * responses about a single block are true.
 */
function makeUpPayments(liar: FakeNode, addresses: readonly string[]): void {
  addresses.forEach((address, index) => forge(liar, index + 1, transferLog(usdt, PAYER, address, DUE)));
  const forged = new Set(liar.blocks.slice(1, addresses.length + 1).map(({ transactions }) => transactions[0]!.hash));
  const isTrue = (item: string | { transactionHash: string }) =>
    !forged.has(typeof item === 'string' ? item : item.transactionHash);
  liar.tamper = ({ method, params }, result) => {
    const [call] = params as [{ to?: string; data?: string; blockHash?: string }];
    if (method === 'eth_call') {
      const isPaid = addresses.some((address) => call.data?.endsWith(address.slice(2).toLowerCase()));
      return isPaid && call.to === usdt && call.data?.startsWith(BALANCE_OF)
        ? `0x${DUE.toString(16).padStart(64, '0')}`
        : undefined;
    }
    if (method === 'eth_getBlockByNumber') {
      const block = result as { transactions: string[] } | null;
      return block && { ...block, transactions: block.transactions.filter(isTrue) };
    }
    const isOfBlock = method === 'eth_getBlockReceipts' || (method === 'eth_getLogs' && call.blockHash !== undefined);
    return isOfBlock ? (result as { transactionHash: string }[]).filter(isTrue) : undefined;
  };
}

async function anotherNode(): Promise<FakeNode> {
  const node = await w.newNode();
  opened.push(node);
  copyChain(w.node(), node);
  node.finalDepth = w.node().finalDepth;
  return node;
}

/** The watcher, the comparison and the expiry of one worker with these endpoints; both must agree. */
function worker(urls: string[]) {
  const trust = { above: 1_000_000n, abovePerHour: 10_000_000n, endpoints: 2 };
  const options = { spec: localEthereum, urls, clock: w.clock, log: silentLog(), timeoutMs: 3000 };
  const chain = { ...w.chainOf(...urls), adapter: openEvmAdapter({ ...options, trust }) };
  const watch = watchStep(chain);
  const balances = balanceStep(chain, openBalanceReader({ ...options, needed: 2, forCompleteness: true }));
  return async (minutes: number) => {
    for (let left = minutes; left > 0; left -= 5) {
      await w.run(watch);
      await w.run(balances);
      while ((await expireSessions(w.context())).more);
      await maintainQuarantine(w.context());
      w.clock.advance(5 * 61_000);
    }
  };
}

/** Unpaid expired sessions, and an endpoint that reports them as paid once they are compared. */
async function unpaidSessions(count: number) {
  await w.run();
  const sessions: { id: string; address: string }[] = [];
  for (let n = 0; n < count; n++) sessions.push(await w.session());
  w.mine(5);
  while (w.node().blocks.at(-1)!.time < EXPIRES + 300) w.node().mine([], w.node().blocks.at(-1)!.time + 60);
  w.clock.set(w.node().blocks.at(-1)!.time);
  await w.run();
  const liar = await anotherNode();
  makeUpPayments(
    liar,
    sessions.map(({ address }) => address),
  );
  const statuses = () =>
    Promise.all(sessions.map(async ({ id }) => (await w.paymentsOf(id)).status)).then((all) => [...new Set(all)]);
  const row = await w.row();
  /** As if other re-scans had used up the daily block limit. */
  const spendTheDay = () =>
    w.pool().query(
      `INSERT INTO balance_rounds (chain_id, started_at, next_at, rescan_blocks, rescan_day)
       VALUES ($1, $2, $2, 40000, ($2::timestamptz AT TIME ZONE 'UTC')::date)
       ON CONFLICT (chain_id) DO UPDATE SET rescan_blocks = 40000, rescan_day = excluded.rescan_day`,
      [row.id, w.clock.now()],
    );
  return { liar, statuses, spendTheDay };
}

const toNextDay = () => w.clock.advance(24 * HOUR - (w.clock.now().getTime() % (24 * HOUR)));
const openDifferences = () => readDiscrepancies(w.context(), { isOpenOnly: true });

describe('sessions whose addresses one endpoint of two reports as paid', () => {
  it('are held with an alarm that names the endpoint once the daily block limit is reached, and continue the next day', async () => {
    const { liar, statuses, spendTheDay } = await unpaidSessions(2);
    const run = worker([w.node().url, liar.url]);
    await spendTheDay();
    await run(15);
    expect(await statuses()).toEqual(['pending']);
    const note = expect.stringContaining('reported by endpoint 2.');
    expect(await openDifferences()).toMatchObject([
      { found: DUE, note },
      { found: DUE, note },
    ]);
    expect(await openQuarantine(w.pool())).toHaveLength(2);
    await run(180);
    expect(await statuses()).toEqual(['pending']);
    toNextDay();
    await run(60);
    expect(await statuses()).toEqual(['expired']);
    expect(await openQuarantine(w.pool())).toEqual([]);
  });

  it('all expire once the operator has replaced the endpoint, however many there are and however far the re-scans were', async () => {
    const { liar, statuses, spendTheDay } = await unpaidSessions(12);
    await spendTheDay();
    await worker([w.node().url, liar.url])(90);
    expect(await statuses()).toEqual(['pending']);
    const other = await anotherNode();
    await worker([w.node().url, other.url])(70);
    expect(await statuses()).toEqual(['expired']);
    expect(await openQuarantine(w.pool())).toEqual([]);
  });

  it('expire when an operator explains the discrepancies while the re-scans wait for the next day', async () => {
    const { liar, statuses, spendTheDay } = await unpaidSessions(2);
    const run = worker([w.node().url, liar.url]);
    await spendTheDay();
    await run(30);
    for (const { id } of await openDifferences())
      await explainDiscrepancy(w.context(), { id, note: 'One endpoint makes payments up.' });
    await run(60);
    expect(await statuses()).toEqual(['expired']);
  });
});
