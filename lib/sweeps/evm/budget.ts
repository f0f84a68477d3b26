// What is left of the signer's fee budget of the hour, by the signer's own count. The worker stores no sweep that the signer would refuse:
// it would plan the same one again in each run.

import type { Prices } from '@/lib/networks/families/evm/sending/fees';
import { keptForDataFee } from '@/lib/networks/networks';
import { LEAST_SHARE, sweepFees, type EvmSweepOrder } from '@/lib/signer/client';
import type { SweepHold } from '@/lib/sweeps/reasons';
import type { EvmRun } from './run';
import { startSweep, type Planned } from './send';

export type EvmPlanned = Planned & { readonly request: EvmSweepOrder };
type Costing = Pick<EvmPlanned, 'request' | 'gasLimit' | 'maxFeePerGas'>;

/** Starts a sweep that the signer may sign. Returns why it could not go, or null. `spent`: wei that this run has used of the budget. */
export async function startInBudget(run: EvmRun, sweep: EvmPlanned, spent = 0n): Promise<SweepHold | null> {
  const { cost, counted, most } = feesOf(run, sweep);
  if (cost > most) return 'fee_too_high';
  if (spent + counted > leftOf(run)) return 'budget';
  return startSweep(run, sweep);
}

/** Wei that a sweep uses of the budget. */
export const countedFees = (run: EvmRun, sweep: Costing): bigint => feesOf(run, sweep).counted;

/** How many addresses the budget covers at most, given the least gas of a batch and of each address in it. */
export function mostInBudget(
  run: EvmRun,
  { maxFeePerGas }: Pick<Prices, 'maxFeePerGas'>,
  gas: { readonly base: bigint; readonly each: bigint },
): number {
  const { spec } = run.evm;
  const left = leftOf(run);
  const forAddresses = left - gas.base * maxFeePerGas;
  if (left < spec.feeCap / LEAST_SHARE || forAddresses <= 0n) return 0;
  // Rounded down, as below.
  return Number(forAddresses / (gas.each * maxFeePerGas + keptForDataFee(spec)));
}

type Batch = Costing & { readonly request: { readonly kind: 'batch' } };

/** How many addresses the next plan may have; all of them if the budget covers the batch. */
export function fitBudget(run: EvmRun, batch: Batch): number {
  const { request, maxFeePerGas } = batch;
  const count = request.deposits.length;
  const [counted, left] = [countedFees(run, batch), leftOf(run)];
  if (counted <= left) return count;
  // The gas that one address may burn is the same in a smaller batch.
  const fixed = BigInt(request.gasEach) * maxFeePerGas;
  if (count === 1 || left <= fixed) return 0;
  // Always fewer than before. The first one may take less than the average, so it is tried before none.
  return Math.max(1, Number((BigInt(count) * (left - fixed)) / (counted - fixed)));
}

const feesOf = ({ evm }: EvmRun, { request: transaction, gasLimit, maxFeePerGas }: Costing) =>
  sweepFees(evm.spec, { transaction, gasLimit, maxFeePerGas });

const leftOf = ({ wallets }: EvmRun): bigint => BigInt(wallets.feesPerHour) - BigInt(wallets.feesLastHour);
