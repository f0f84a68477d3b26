// What the payments of an hour may cost on a network: refunds, payouts, cold transfers, and the changes of the allowance that batches need.
// The limits in cents bound neither the number of payments nor the coin that they take: the fees, and on Solana the rent of the account
// that a payment opens for its payee. Pure.

import { readEvmCall } from '@/lib/networks/families/evm/sending/evm-call';
import { keptForDataFee, type NetworkSpec } from '@/lib/networks/networks';
import type { EvmDraft } from '@/lib/networks/sending/send';
import type { JournalIndex } from './journal/journal-index';
import { PAYMENTS_BUDGET, type Entry } from './journal/record';
import type { Policy } from './policy';
import { Refusal } from './refusal';
import { countedOf } from './sweeps/fees';
import { nameOf } from './sweeps/policy';

/** One payment at the fee cap for each hundred dollars that the settings allow in an hour. */
const CENTS_PER_FEE_CAP = 10_000n;
const LEAST_FEE_CAPS = 100n;

type Budget = Pick<Policy, 'fees' | 'limits' | 'payoutLimits'>;

/** In the smallest unit of the coin. */
export function paymentFeesPerHour({ fees, limits, payoutLimits }: Budget, spec: NetworkSpec): bigint {
  const caps = (limits.perHour + payoutLimits.perHour) / CENTS_PER_FEE_CAP;
  return fees.get(nameOf(spec)) ?? (caps > LEAST_FEE_CAPS ? caps : LEAST_FEE_CAPS) * spec.feeCap;
}

type Counted = {
  readonly spec: NetworkSpec;
  /** The most that the transaction may cost, in the smallest unit of the coin. */
  readonly cost: bigint;
  /** The same of the transaction that it replaces: only one of the two can land. */
  readonly replaced?: bigint | undefined;
  readonly now: number;
};

/**
 * What a signature counts against the budget of its network, as the journal records it once `hash` is known. Throws a Refusal of code
 * `limit` if that is above what is left.
 */
export function countPaymentFees(
  index: JournalIndex,
  budget: Budget,
  { spec, cost, replaced = 0n, now }: Counted,
): (hash: string) => Entry {
  const chain = `${PAYMENTS_BUDGET}${nameOf(spec)}`;
  const counted = countedOf(spec, cost - replaced);
  if (index.feesBefore(now, chain) + counted > paymentFeesPerHour(budget, spec)) {
    const what = `the fees per hour for payments on ${nameOf(spec)} are reached: see SIGNER_PAYMENT_FEES`;
    throw new Refusal('limit', what);
  }
  return (hash) => ({ kind: 'fees', chain, wei: String(counted), hash });
}

type Gas = { readonly gasLimit: bigint; readonly maxFeePerGas: bigint };

/** The most that an EVM transaction of so many payments may cost, with what is kept for the fee for its data. */
export const mostOf = (spec: NetworkSpec, { gasLimit, maxFeePerGas }: Gas, payments = 1): bigint =>
  gasLimit * maxFeePerGas + BigInt(payments) * keptForDataFee(spec);

/** The same of a draft. */
export const costOf = (spec: NetworkSpec, { unsigned }: Pick<EvmDraft, 'unsigned'>, payments = 1): bigint =>
  mostOf(spec, readEvmCall(unsigned), payments);
