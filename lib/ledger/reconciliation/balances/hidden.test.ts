// A payment that the watcher has not stored when its session ends: only the balance of its address shows it.

import { afterEach, expect, it } from 'vitest';
import { openBalanceReader } from '@/lib/networks/families/clients';
import { ChainError } from '@/lib/networks/chain';
import { openRequestBudget, type RequestBudget } from '@/lib/networks/endpoints/request-budget';
import { NO_LIMITS } from '@/lib/networks/endpoints/request-limits';
import { expireSessions } from '@/lib/payments/sessions/expire/expire';
import { silentLog } from '@/testing/chain-clock';
import { copyChain, type FakeNode } from '@/testing/evm/fake-evm-node';
import { localEthereum, T0, useWatchedChain } from '@/testing/watching/watched-chain';
import { watchStep } from '@/lib/payments/watcher/step';
import { balanceStep } from './step';

const w = useWatchedChain();
const EXPIRES = T0 + 10 + 1800;
const HOLD_SECONDS = 3600;
let honest: FakeNode | undefined;
afterEach(async () => {
  await honest?.close();
  honest = undefined;
});

function worker(urls: readonly string[], budgets?: readonly RequestBudget[]) {
  const watch = watchStep(w.chainOf(...urls));
  const options = { spec: localEthereum, urls, budgets, needed: 2, clock: w.clock, log: silentLog(), timeoutMs: 3000 };
  const balances = balanceStep(w.chainOf(...urls), openBalanceReader({ ...options, forCompleteness: true }));
  const compare = async (rounds: number) => {
    for (let left = rounds; left > 0; left--) {
      await w.run(balances).catch((error: unknown) => expect(error).toBeInstanceOf(ChainError));
      while ((await expireSessions(w.context())).more);
      w.clock.advance(61_000);
    }
  };
  return { watch: () => w.run(watch), compare };
}

/** A session that was paid in time and then expires on the chain. */
async function paidSession(): Promise<string> {
  const { id, address } = await w.session();
  w.pay(address);
  w.mine(8);
  while (w.node().blocks.at(-1)!.time < EXPIRES + 300) w.node().mine([], w.node().blocks.at(-1)!.time + 60);
  w.clock.set(w.node().blocks.at(-1)!.time);
  return id;
}

it('holds a paid session for as long as the watcher reads no blocks', async () => {
  const { watch, compare } = worker([w.node().url]);
  await watch();
  const id = await paidSession();
  await compare(1);
  w.clock.set(EXPIRES + HOLD_SECONDS + 1);
  await compare(1);
  expect((await w.paymentsOf(id)).status).toBe('pending');
  await watch();
  expect(await w.paymentsOf(id)).toMatchObject({ status: 'completed', entries: 1 });
});

it('does not accept one endpoint as proof where two must agree, while the other one is rate limited', async () => {
  honest = await w.newNode();
  const urls = [w.node().url, honest.url];
  const budgetOf = (name: string) => openRequestBudget({ name, limits: NO_LIMITS, clock: w.clock });
  let isSpent = true;
  const spent: RequestBudget = {
    ...budgetOf('endpoint 2'),
    take: async () => {
      const details = { retryAfterSeconds: 60, throttled: true, demotes: false };
      if (isSpent) throw new ChainError('unavailable', 'endpoint 2 has no requests left', details);
    },
  };
  const { watch, compare } = worker(urls, [budgetOf('endpoint 1'), spent]);
  await watch();
  const id = await paidSession();
  copyChain(w.node(), honest);
  honest.finalDepth = w.node().finalDepth;
  // The usual endpoint hides the payment completely.
  for (const block of w.node().blocks) block.transactions.splice(0);
  await watch();
  await compare(3);
  expect((await w.paymentsOf(id)).status).toBe('pending');
  isSpent = false;
  for (let left = 6; left > 0; left--) {
    await watch();
    await compare(1);
  }
  expect(await w.paymentsOf(id)).toMatchObject({ status: 'completed', entries: 1 });
});
