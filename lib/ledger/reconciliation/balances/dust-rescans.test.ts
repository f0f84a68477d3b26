// A stranger pays one base unit in each block after the end of an unpaid session of their own. The watcher
// reads and stores all of it, some blocks later than balances are read.

import { expect, it } from 'vitest';
import { openBalanceReader } from '@/lib/networks/families/clients';
import { expireSessions } from '@/lib/payments/sessions/expire/expire';
import { silentLog } from '@/testing/chain-clock';
import { transferLog } from '@/testing/evm/fake-evm-node';
import { localEthereum, T0, usdt, useWatchedChain } from '@/testing/watching/watched-chain';
import { watchStep } from '@/lib/payments/watcher/step';
import { readDiscrepancies } from '@/lib/ledger/reconciliation/discrepancies';
import { balanceStep } from './step';

const w = useWatchedChain();
const EXPIRES = T0 + 10 + 1800;
const STRANGER = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';

it('dust that the watcher stores some seconds later starts no block-by-block re-scan, reports no discrepancy and holds no session', async () => {
  const urls = [w.node().url];
  const chain = w.chainOf(...urls);
  const options = { spec: localEthereum, urls, needed: 2, forCompleteness: true, clock: w.clock, log: silentLog() };
  const watch = watchStep(chain);
  const balances = balanceStep(chain, openBalanceReader({ ...options, timeoutMs: 3000 }));
  await w.run(watch);
  const { id, address } = await w.session();
  while (w.node().blocks.at(-1)!.time < EXPIRES + 300)
    w.node().mine([{ logs: [transferLog(usdt, STRANGER, address, 1n)] }], w.node().blocks.at(-1)!.time + 12);
  w.clock.set(w.node().blocks.at(-1)!.time);
  let rescans = 0;
  for (let left = 40; left > 0; left--) {
    await w.run(watch);
    w.node().mine([{ logs: [transferLog(usdt, STRANGER, address, 1n)] }], w.node().blocks.at(-1)!.time + 12);
    w.clock.advance(12_000);
    await w.run(balances);
    await expireSessions(w.context());
    const { rows } = await w.pool().query('SELECT rescans FROM balance_checks WHERE session_id = $1', [id]);
    rescans = Math.max(rescans, rows[0]?.rescans ?? 0);
  }
  expect(await readDiscrepancies(w.context(), { isOpenOnly: true })).toEqual([]);
  expect(rescans).toBeLessThan(2);
  expect((await w.paymentsOf(id)).status).toBe('expired');
}, 60_000);

it('a later stored payment does not hide an earlier one that the endpoint withheld', async () => {
  const urls = [w.node().url];
  const chain = w.chainOf(...urls);
  const options = { spec: localEthereum, urls, needed: 2, forCompleteness: true, clock: w.clock, log: silentLog() };
  const watch = watchStep(chain);
  const balances = balanceStep(chain, openBalanceReader({ ...options, timeoutMs: 3000 }));
  await w.run(watch);
  const { id, address } = await w.session();
  w.mine(2);
  w.pay(address);
  const paidAt = w.node().blocks.at(-1)!.number;
  w.node().tamper = ({ method, params }, result) => {
    const isRange = method === 'eth_getLogs' && !('blockHash' in (params[0] as object));
    return isRange
      ? (result as { blockNumber: string }[]).filter((log) => Number(log.blockNumber) !== paidAt)
      : undefined;
  };
  const mineTo = (time: number) => {
    while (w.node().blocks.at(-1)!.time < time) w.node().mine([], w.node().blocks.at(-1)!.time + 12);
    w.clock.set(w.node().blocks.at(-1)!.time);
  };
  mineTo(EXPIRES + 100);
  await w.run(watch);
  // The balance is of blocks that the watcher has not read yet.
  mineTo(EXPIRES + 300);
  await w.run(balances);
  w.pay(address);
  for (let left = 20; left > 0; left--) {
    mineTo(w.node().blocks.at(-1)!.time + 60);
    await w.run(watch);
    await w.run(balances);
    await expireSessions(w.context());
  }
  expect(await w.paymentsOf(id)).toMatchObject({ status: 'completed' });
}, 60_000);
