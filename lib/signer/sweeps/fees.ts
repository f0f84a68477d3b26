// What a sweep may cost: a cap for each transaction and a budget for each hour and network. Pure.

import { keptForDataFee, type EvmSpec, type NetworkSpec } from '@/lib/networks/networks';
import type { JournalIndex } from '@/lib/signer/journal/journal-index';
import { Refusal } from '@/lib/signer/refusal';
import type { EvmSweepOrder, EvmSweepParams } from './orders';
import { nameOf, type EvmSweepChain, type SweepChain } from './policy';

/** A deployment of the delegate costs about as much gas as many transfers, and happens once per network. */
const DEPLOYMENT_CAPS = 4n;
/**
 * Every signature counts at least this share of the fee cap, so that a compromised worker cannot fill the disk with
 * signatures that cost nothing.
 */
export const LEAST_SHARE = 100n;
/** Sun per byte of burned bandwidth on TRON; governance has not changed it since 2021 (getTransactionFee). */
export const SUN_PER_BYTE = 1000n;
/** Sun that TRON takes for a new account: 1 TRX, and 0.1 TRX in place of bandwidth. */
export const ACTIVATION = 1_100_000n;

type EvmFees = {
  readonly transaction: EvmSweepOrder;
  readonly gasLimit: bigint;
  /** Wei per gas. */
  readonly maxFeePerGas: bigint;
};

/**
 * The wei that a sweep counts against the budget of its network: all that it may cost, with the coin of a top-up.
 * Throws a Refusal: `limit`, or `not_allowed` for prices that no node accepts.
 */
export function checkFees(index: JournalIndex, chain: EvmSweepChain, params: EvmSweepParams, now: number): bigint {
  const { transaction } = params;
  const [price, tip] = [BigInt(params.maxFeePerGas), BigInt(params.maxPriorityFeePerGas)];
  if (tip > price) throw new Refusal('not_allowed', 'the tip is above the price');
  const gasLimit = BigInt(params.gasLimit);
  const { cost, most } = sweepFees(chain.spec, { transaction, gasLimit, maxFeePerGas: price });
  return countFees(index, chain, { cost, most, now });
}

/**
 * The wei that an EVM sweep may cost, what of it counts against the budget, and the most that it may cost. The worker plans by the same
 * numbers.
 */
export function sweepFees(
  spec: EvmSpec,
  { transaction, gasLimit, maxFeePerGas }: EvmFees,
): { readonly cost: bigint; readonly counted: bigint; readonly most: bigint } {
  const caps = capsOf(transaction);
  const coin = transaction.kind === 'top_up' ? BigInt(transaction.amount) : 0n;
  // The transaction cannot cap what a network charges for its data, so the part of the cap that is kept for it counts.
  const cost = gasLimit * maxFeePerGas + caps * keptForDataFee(spec) + coin;
  return { cost, counted: countedOf(spec, cost), most: caps * spec.feeCap };
}

/** What counts of a sweep that costs at most `cost`. Throws a Refusal if that is above `most` or above what is left of the budget. */
export function countFees(
  index: JournalIndex,
  { spec, feesPerHour }: SweepChain,
  { cost, most, now }: { readonly cost: bigint; readonly most: bigint; readonly now: number },
): bigint {
  if (cost > most) throw new Refusal('limit', 'the sweep may cost more than the fee cap of the network');
  const counted = countedOf(spec, cost);
  if (index.feesBefore(now, nameOf(spec)) + counted > feesPerHour)
    throw new Refusal('limit', `the fees per hour for sweeps on ${nameOf(spec)} are reached`);
  return counted;
}

/** What counts of a transaction that costs at most `cost`. */
export function countedOf({ feeCap }: NetworkSpec, cost: bigint): bigint {
  const least = feeCap / LEAST_SHARE;
  return cost > least ? cost : least;
}

/** How many times the fee cap of one payment the transaction may cost. */
function capsOf(transaction: EvmSweepOrder): bigint {
  if (transaction.kind === 'deploy') return DEPLOYMENT_CAPS;
  return transaction.kind === 'batch' ? BigInt(transaction.deposits.length) : 1n;
}
