import { expect, it } from 'vitest';
import { openEvmAdapter } from '@/lib/networks/families/evm/adapter';
import { openRequestBudget } from '@/lib/networks/endpoints/request-budget';
import { NO_LIMITS } from '@/lib/networks/endpoints/request-limits';
import { silentLog } from '@/testing/chain-clock';
import { localEthereum, useWatchedChain } from '@/testing/watching/watched-chain';
import { watchStep } from '@/lib/payments/watcher/step';

const w = useWatchedChain();

it('credits a payment after all other users of the endpoint have sent as many requests as they may', async () => {
  const limits = { ...NO_LIMITS, perDay: 2000 };
  const budget = openRequestBudget({ name: 'endpoint 1', limits, clock: w.clock });
  const options = { spec: localEthereum, urls: [w.node().url], clock: w.clock, log: silentLog(), timeoutMs: 3000 };
  const adapter = openEvmAdapter({ ...options, budgets: [budget] });
  const step = watchStep({ ...w.chainOf(w.node().url), adapter, budgets: [budget] });
  await w.run(step);
  const { id, address } = await w.session();
  for (const share of [budget.shareOf('anonymous'), budget.shareOf('proof'), budget.shareOf('service')]) {
    let isRefused = false;
    while (!isRefused)
      isRefused = await share.take(['eth_call']).then(
        () => false,
        () => true,
      );
  }
  expect(budget.usedToday()).toBeGreaterThan(500);
  w.pay(address);
  w.mine(20);
  await w.run(step);
  expect((await w.paymentsOf(id)).status).toBe('completed');
});
