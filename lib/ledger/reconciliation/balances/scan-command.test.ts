// The operator's scan of one address finds payments from before its network was followed.

import { describe, expect, it } from 'vitest';
import { openBalanceReader } from '@/lib/networks/families/clients';
import { silentLog } from '@/testing/chain-clock';
import { DUE, localEthereum, T0, useWatchedChain } from '@/testing/watching/watched-chain';
import { watchStep } from '@/lib/payments/watcher/step';
import { orderScan, runScan } from './scan-command';
import { balanceStep } from './step';

const w = useWatchedChain();

/** A session that ended before the network was followed, and was paid there while it was open. */
async function paidTooSoon() {
  const { id, address } = await w.session(['bsc']);
  await w.pool().query(`UPDATE sessions SET status = 'expired', closed_at = $2 WHERE id = $1`, [id, w.clock.now()]);
  w.mine(2);
  w.pay(address);
  w.mine(20);
  w.clock.set((T0 + 3600) * 1);
  const urls = [w.node().url];
  const chain = w.chainOf(...urls);
  const watch = watchStep(chain);
  await w.run(watch);
  const options = { spec: localEthereum, urls, needed: 2, forCompleteness: true, clock: w.clock, log: silentLog() };
  const balances = balanceStep(chain, openBalanceReader({ ...options, timeoutMs: 3000 }));
  return { id, address, watch: () => w.run(watch), balances: () => w.run(balances) };
}

const order = (address: string, from: number, to: number | null = null) =>
  orderScan(w.pool(), w.clock, { address, network: 'ethereum', from, to });

describe('the scan of an address', () => {
  it('stores a payment from before its network was followed as the watcher does', async () => {
    const { id, address, balances } = await paidTooSoon();
    expect((await w.paymentsOf(id)).transfers).toEqual([]);
    expect(await order(address, 0)).toMatchObject({ isRefused: false });
    await balances();
    const filed = { status: 'expired', exception: 'wrong_network', transfers: [{ amount: String(DUE) }], entries: 1 };
    expect(await w.paymentsOf(id)).toMatchObject(filed);
    const cases = await w.pool().query('SELECT kind, state FROM payment_exceptions WHERE session_id = $1', [id]);
    expect(cases.rows).toEqual([{ kind: 'wrong_network', state: 'open' }]);

    expect(await order(id, 0)).toMatchObject({ isRefused: false });
    await balances();
    expect(await w.paymentsOf(id)).toMatchObject(filed);
  });

  it('reads only the named blocks, and continues after a restart', async () => {
    const { id, address, balances } = await paidTooSoon();
    expect(await order(address, 10)).toMatchObject({ isRefused: false });
    expect(await order(address, 0)).toEqual({
      text: expect.stringContaining('up to block 9 of'),
      isRefused: false,
    });
    await w.pool().query('UPDATE balance_checks SET window_blocks = 2 WHERE session_id = $1', [id]);
    await balances();
    expect((await w.paymentsOf(id)).transfers).toEqual([]);
  });

  it('refuses unknown addresses, networks that are not followed, and blocks that were not read or are too many', async () => {
    const { address } = await paidTooSoon();
    expect(await order('0x0000000000000000000000000000000000000001', 0)).toMatchObject({ isRefused: true });
    const tron = await orderScan(w.pool(), w.clock, { address, network: 'tron', from: 0, to: null });
    expect(tron).toEqual({ text: 'tron is not followed in the test environment.', isRefused: true });
    expect(await order(address, 5, 4)).toMatchObject({ isRefused: true });
    expect(await order(address, 0, 10_000)).toMatchObject({ isRefused: true });
    await w.pool().query('UPDATE chains SET final_number = 7000000, tip_number = 7000000 WHERE retired_at IS NULL');
    expect(await order(address, 0)).toEqual({
      text: 'At most 6000000 blocks are read at once, up to 5999999 here.',
      isRefused: true,
    });
  });

  it('refuses unknown arguments', async () => {
    const lines: string[] = [];
    const run = (...words: string[]) =>
      runScan(words, { databaseUrl: w.context().config.DATABASE_URL, print: (line) => void lines.push(line) });
    expect([await run(), await run('0x1', 'ethereum', 'five'), lines]).toEqual([2, 2, []]);
    const { address } = await paidTooSoon();
    expect(await run(address, 'ethereum')).toBe(0);
    expect(lines.at(-1)).toBe('The worker reads nothing for this address now.');
  });
});
