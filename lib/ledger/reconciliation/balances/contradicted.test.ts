// Two endpoints that must agree, and contradict each other while the address of a paid session is re-scanned.

import { afterEach, describe, expect, it } from 'vitest';
import { openBalanceReader } from '@/lib/networks/families/clients';
import { openEvmAdapter } from '@/lib/networks/families/evm/adapter';
import { expireSessions } from '@/lib/payments/sessions/expire/expire';
import { silentLog } from '@/testing/chain-clock';
import { openQuarantine } from '@/testing/database/database-fault';
import { copyChain, type FakeNode } from '@/testing/evm/fake-evm-node';
import { DUE, localEthereum, T0, useWatchedChain } from '@/testing/watching/watched-chain';
import { watchStep } from '@/lib/payments/watcher/step';
import { runAlarms } from '@/lib/installation/alarms/step';
import { maintainQuarantine } from '@/lib/worker/quarantine';
import { explainDiscrepancy, readDiscrepancies } from '@/lib/ledger/reconciliation/discrepancies';
import { orderScan } from './scan-command';
import { balanceStep } from './step';

const w = useWatchedChain();
const EXPIRES = T0 + 10 + 1800;
const HOLD_MINUTES = 60;
const MINUTES_APART = 5;
let honest: FakeNode | undefined;
afterEach(async () => {
  await honest?.close();
  honest = undefined;
  await w.pool().query('TRUNCATE quarantine');
});

type Tamper = FakeNode['tamper'];
const WELL: Tamper = () => undefined;
/** Omits every transfer from responses for ranges of blocks. */
const omitInRanges: Tamper = ({ method, params }) =>
  method === 'eth_getLogs' && !('blockHash' in (params[0] as object)) ? [] : undefined;
/** Omits every transfer from responses for ranges of blocks, and reports empty balances. */
const omitWithBalances: Tamper = (call, ...more) => {
  const [first] = call.params as [{ data?: string }];
  const isBalance = call.method === 'eth_call' && first.data?.startsWith('0x70a08231');
  return isBalance ? `0x${'0'.repeat(64)}` : omitInRanges(call, ...more);
};
/** Omits every transfer from every response. */
const omitEverywhere: Tamper = ({ method }) => {
  if (method === 'eth_getLogs') return [];
  return method === 'eth_getBlockReceipts' ? { error: { code: -32601, message: 'no such method' } } : undefined;
};

/**
 * A paid session whose usual endpoint omits the payment; it has expired on the chain. `isTrustedLater`: that endpoint
 * is no longer the usual one when the balance is compared.
 */
async function paidSession(tamper: Tamper, { isTrustedLater = false } = {}) {
  honest = await w.newNode();
  const urls = [w.node().url, honest.url];
  const trust = { above: 1_000_000n, abovePerHour: 10_000_000n, endpoints: 2 };
  const options = { spec: localEthereum, urls, clock: w.clock, log: silentLog(), timeoutMs: 3000 };
  const chain = { ...w.chainOf(...urls), adapter: openEvmAdapter({ ...options, trust }) };
  const watch = watchStep(chain);
  const order = isTrustedLater ? [...urls].toReversed() : urls;
  const later = { ...chain, adapter: openEvmAdapter({ ...options, urls: order, trust }) };
  const balances = balanceStep(
    isTrustedLater ? later : chain,
    openBalanceReader({ ...options, needed: 2, forCompleteness: true }),
  );
  await w.run(watch);
  const [paid, other] = [await w.session(), await w.session()];
  w.node().tamper = tamper;
  w.mine(5);
  w.pay(paid.address);
  while (w.node().blocks.at(-1)!.time < EXPIRES + 300) w.node().mine([], w.node().blocks.at(-1)!.time + 60);
  copyChain(w.node(), honest);
  honest.finalDepth = w.node().finalDepth;
  w.clock.set(w.node().blocks.at(-1)!.time);
  const runMinutes = async (minutes: number) => {
    for (let left = minutes; left > 0; left -= MINUTES_APART) {
      await w.run(watch);
      await w.run(balances);
      while ((await expireSessions(w.context())).more);
      await maintainQuarantine(w.context());
      await runAlarms(w.context());
      w.clock.advance(MINUTES_APART * 61_000);
    }
  };
  return { paid, other, runMinutes };
}

const statusOf = async ({ id }: { id: string }) => (await w.paymentsOf(id)).status;

describe('when two endpoints contradict each other about a paid address', () => {
  it('reads it block by block, credits the payment and completes the session', async () => {
    const { paid, other, runMinutes } = await paidSession(omitInRanges);
    await runMinutes(60);
    expect(await w.paymentsOf(paid.id)).toMatchObject({
      status: 'completed',
      transfers: [{ amount: String(DUE) }],
      entries: 1,
    });
    expect(await statusOf(other)).toBe('expired');
    expect(await readDiscrepancies(w.context(), { isOpenOnly: true })).toEqual([]);
  });

  it('does not trust the endpoint that omits the payment once another one has become the usual endpoint', async () => {
    const { paid, runMinutes } = await paidSession(omitWithBalances, { isTrustedLater: true });
    await runMinutes(60);
    expect(await w.paymentsOf(paid.id)).toMatchObject({ status: 'completed', entries: 1 });
    expect(await readDiscrepancies(w.context(), { isOpenOnly: true })).toEqual([]);
  });

  it('holds the session with an alarm while the methods disagree, until an operator explains the discrepancy', async () => {
    const { paid, other, runMinutes } = await paidSession(omitEverywhere);
    await runMinutes(20);
    expect(await statusOf(other)).toBe('expired');
    await runMinutes(3 * HOLD_MINUTES);
    expect(await statusOf(paid)).toBe('pending');
    const [difference, ...more] = await readDiscrepancies(w.context(), { isOpenOnly: true });
    expect(more).toEqual([]);
    expect(difference).toMatchObject({ address: paid.address, currency: 'USDT', expected: 0n, found: DUE });
    expect(difference!.note).toContain('does not expire');
    expect(difference!.note).toContain('report different transfers');
    expect(await openQuarantine(w.pool())).toMatchObject([
      { kind: 'address', error: expect.stringContaining('12340000') },
    ]);
    const alarmed = await w
      .pool()
      .query(
        `SELECT 1 FROM alarms WHERE kind = 'quarantine' AND subject = 'address' AND closed_at IS NULL AND notified_at IS NOT NULL`,
      );
    expect(alarmed.rowCount).toBe(1);
    await explainDiscrepancy(w.context(), { id: difference!.id, note: 'The token contract is wrong.' });
    await runMinutes(20);
    expect(await statusOf(paid)).toBe('expired');
    expect(await openQuarantine(w.pool())).toEqual([]);
  });

  it('completes a session on hold once the endpoint has recovered and an operator orders a scan of the address', async () => {
    const { paid, runMinutes } = await paidSession(omitEverywhere);
    await runMinutes(2 * HOLD_MINUTES);
    expect(await statusOf(paid)).toBe('pending');
    w.node().tamper = WELL;
    await orderScan(w.pool(), w.clock, { address: paid.address, network: 'ethereum', from: 1, to: null });
    await runMinutes(60);
    expect(await w.paymentsOf(paid.id)).toMatchObject({ status: 'completed', entries: 1 });
    expect(await openQuarantine(w.pool())).toEqual([]);
  });
});
