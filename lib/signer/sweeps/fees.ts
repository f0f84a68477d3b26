// What a sweep may cost: a cap for each transaction and a budget for each hour and network. Pure.

import { keptForDataFee } from '@/lib/networks/networks';
import type { JournalIndex } from '@/lib/signer/journal/journal-index';
import { Refusal } from '@/lib/signer/refusal';
import type { EvmSweepParams } from './orders';
import { nameOf, type EvmSweepChain, type SweepChain } from './policy';

/** A deployment of the delegate costs about as much gas as many transfers, and happens once per network. */
const DEPLOYMENT_CAPS = 4n;
/**
 * Every signature counts at least this share of the fee cap, so that a compromised worker cannot fill the disk with
 * signatures that cost nothing.
 */
export const LEAST_SHARE = 100n;

/**
 * The wei that a sweep counts against the budget of its network: all that it may cost, with the coin of a top-up.
 * Throws a Refusal: `limit`, or `not_allowed` for prices that no node accepts.
 */
export function checkFees(index: JournalIndex, chain: EvmSweepChain, params: EvmSweepParams, now: number): bigint {
  const { spec } = chain;
  const { transaction } = params;
  const [price, tip] = [BigInt(params.maxFeePerGas), BigInt(params.maxPriorityFeePerGas)];
  if (tip > price) throw new Refusal('not_allowed', 'the tip is above the price');
  const caps = capsOf(transaction);
  const coin = transaction.kind === 'top_up' ? BigInt(transaction.amount) : 0n;
  // The transaction cannot cap what a network charges for its data, so the part of the cap that is kept for it counts.
  const cost = BigInt(params.gasLimit) * price + caps * keptForDataFee(spec) + coin;
  return countFees(index, chain, { cost, most: caps * spec.feeCap, now });
}

/** What counts of a sweep that costs at most `cost`. Throws a Refusal if that is above `most` or above what is left of the budget. */
export function countFees(
  index: JournalIndex,
  { spec, feesPerHour }: SweepChain,
  { cost, most, now }: { readonly cost: bigint; readonly most: bigint; readonly now: number },
): bigint {
  if (cost > most) throw new Refusal('limit', 'the sweep may cost more than the fee cap of the network');
  const least = spec.feeCap / LEAST_SHARE;
  const counted = cost > least ? cost : least;
  if (index.sweepFeesBefore(now, nameOf(spec)) + counted > feesPerHour)
    throw new Refusal('limit', `the fees per hour for sweeps on ${nameOf(spec)} are reached`);
  return counted;
}

/** How many times the fee cap of one payment the transaction may cost. */
function capsOf(transaction: EvmSweepParams['transaction']): bigint {
  if (transaction.kind === 'deploy') return DEPLOYMENT_CAPS;
  return transaction.kind === 'batch' ? BigInt(transaction.deposits.length) : 1n;
}
