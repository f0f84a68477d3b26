// All steps of a worker on one network scene, at the worker's intervals, with their requests counted.

import { openBalanceReader } from '@/lib/networks/families/clients';
import type { Step } from '@/lib/platform/context';
import { feeStep } from '@/lib/payments/checkout/wallets/fee-step';
import { balanceStep } from '@/lib/ledger/reconciliation/balances/step';
import { reconcileWith, type ReconcileParts } from '@/lib/ledger/reconciliation/step';
import type { NetworkScene, Payee } from './network-scene';
import { RECONCILED } from '@/testing/refunds/refund-on-scene';

/** As the worker runs them, in ticks (lib/worker/steps). */
const [BALANCES_TICKS, RECONCILE_TICKS] = [4, 10];
export const MAX_TICKS = 6000;

export type Steps = { readonly balances: Step; readonly reconcile: Step; readonly fee: Step };

export function openSteps({ chain, options }: NetworkScene): Steps {
  const sending = { ...options, needed: 1 };
  const signer = {
    state: async () => ({ wallets: { test: RECONCILED, live: RECONCILED } }),
    freeze: () => Promise.reject(new Error('the comparison freezes the signer')),
  } as unknown as NonNullable<ReconcileParts['signer']>;
  return {
    balances: balanceStep(chain, openBalanceReader({ ...sending, forCompleteness: true })),
    reconcile: reconcileWith(chain, { reader: openBalanceReader(sending), signer }),
    fee: feeStep(chain, sending),
  };
}

/** Runs all steps for this many ticks, like the worker. */
export async function run(scene: NetworkScene, { balances, reconcile, fee }: Steps, ticks: number): Promise<void> {
  let tick = 0;
  await scene.run(ticks, async () => {
    if (tick % BALANCES_TICKS === 0) while ((await balances(scene.context)).more);
    if (tick % RECONCILE_TICKS === 0) {
      await reconcile(scene.context);
      await fee(scene.context);
    }
    tick++;
  });
}

export const total = ({ node }: NetworkScene): number =>
  [...node.calls.values()].reduce((sum, count) => sum + count, 0);

export async function counted(scene: NetworkScene, work: () => Promise<unknown>): Promise<number> {
  const before = total(scene);
  await work();
  return total(scene) - before;
}

export async function untilCompleted(scene: NetworkScene, steps: Steps, payees: readonly Payee[]): Promise<number> {
  const ids = payees.map(({ id }) => id);
  for (let ticks = 0; ticks < MAX_TICKS; ticks += 10) {
    const { rowCount } = await scene.context.pool.query(
      `SELECT FROM sessions WHERE status = 'pending' AND id = ANY($1)`,
      [ids],
    );
    if (rowCount === 0) return ticks;
    await run(scene, steps, 10);
  }
  throw new Error(`${scene.network} did not complete its payments`);
}
