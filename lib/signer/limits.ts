// Limits for a new payment: nonces without gaps, cents per hour and day, and the amount that its session paid.

import type { NetworkSpec } from '@/lib/networks/networks';
import type { Validity } from '@/lib/networks/sending/send';
import type { JournalIndex } from './journal/journal-index';
import { METER_OF } from './journal/meters';
import { isGuarded } from './approvals/rules';
import { limitsOf, type Allowed, type Limits, type Policy } from './policy';
import type { SignerState } from './protocol';
import { nameOf } from './sweeps/policy';
import { Refusal } from './refusal';

/**
 * New intents use consecutive nonces: none is skipped and none is used twice. After an unfreeze any nonce is the next one, but that of the
 * wallet's last allowance, which may still land.
 */
export function checkNonce(
  index: JournalIndex,
  { spec, from }: { readonly spec: NetworkSpec; readonly from: string },
  validity: Validity,
): void {
  if (validity.kind !== 'nonce') return;
  const next = index.nextNonce(spec.network, spec.chain);
  const isNext = next === null ? !isOfAllowance(index, { spec, from }, validity.nonce) : validity.nonce === next;
  if (!isNext) throw new Refusal('nonce', 'the draft does not use the next nonce');
}

const isOfAllowance = (
  index: JournalIndex,
  { spec, from }: { readonly spec: NetworkSpec; readonly from: string },
  nonce: number,
): boolean => index.lastAllowance(nameOf(spec), from)?.params.nonce === nonce;

type Payment = {
  readonly now: number;
  /** Whether it repeats a payment that lapsed. */
  readonly isRepeated: boolean;
  /** Whether two operators approved it. The claim limits do not apply then. */
  readonly isApproved: boolean;
  /** Cents of the batch's other payments that are not in the journal yet: of all, and under this evidence name. */
  readonly besides?: { readonly cents: bigint; readonly ofName: bigint };
};

/**
 * Throws a Refusal of code `limit`. A repeated payment must not use up the limits of other payments. But only the
 * worker says that a payment lapsed, and a compromised worker could say so of payments that landed. So repeated
 * attempts have limits of their own, half of the others: such a worker gets at most half as much again.
 */
export function checkLimits(index: JournalIndex, policy: Policy, { order, cents }: Allowed, payment: Payment): void {
  const { environment, currency, evidence, intentId } = order;
  const { now, isRepeated, isApproved, besides = { cents: 0n, ofName: 0n } } = payment;
  const meter = { environment, currency, isRepeated };
  const spent = index.spentBefore(now, { ...meter, of: METER_OF[evidence.kind] });
  checkSpent(limitsOf(policy, order), cents + besides.cents, { ...spent, isRepeated, what: WHAT[evidence.kind] });
  if (evidence.kind === 'claim' && !isApproved && isGuarded(policy, environment)) {
    const claimed = index.spentBefore(now, { ...meter, of: 'claims' });
    checkSpent(policy.claimLimits, cents, { ...claimed, isRepeated, what: ' for addresses that customers gave' });
  }
  const others = index.refundedOf(environment, evidence.session, intentId);
  if (others + besides.ofName + cents > BigInt(evidence.mostCents)) {
    const what =
      evidence.kind === 'payout'
        ? 'the payouts of the store would be more than it has'
        : 'the refunds of the session would be more than it paid';
    throw new Refusal('limit', what);
  }
}

const WHAT = { payer: '', claim: '', payout: ' for payouts', cold: ' for cold transfers' } as const;

type Spent = { readonly hour: bigint; readonly day: bigint; readonly isRepeated: boolean; readonly what: string };

function checkSpent({ perHour, perDay }: Limits, cents: bigint, { hour, day, isRepeated, what }: Spent): void {
  const share = isRepeated ? 2n : 1n;
  const which = `${what}${isRepeated ? ' for payments that lapsed' : ''}`;
  if (hour + cents > perHour / share) throw new Refusal('limit', `the limit per hour${which} is reached`);
  if (day + cents > perDay / share) throw new Refusal('limit', `the limit per day${which} is reached`);
}

export const limitsShown = ({
  limits,
  claimLimits,
  payoutLimits,
  cold,
  approvalAbove,
  payoutApprovalAbove,
}: Policy): SignerState['limits'] => ({
  ...asText(limits),
  claims: asText(claimLimits),
  payouts: asText(payoutLimits),
  ...(cold.wallets.length === 0 ? {} : { cold: asText(cold.limits) }),
  // Workers of former versions know no such field; without payouts it says nothing.
  ...(payoutLimits.perRefund === 0n ? {} : { payoutApprovalAbove: String(payoutApprovalAbove) }),
  approvalAbove: String(approvalAbove),
});

/** Nothing without a cold wallet: workers of former versions know no such field. */
export const coldWalletsShown = ({ cold: { wallets } }: Policy): Pick<SignerState, 'coldWallets'> =>
  wallets.length === 0
    ? {}
    : { coldWallets: Object.fromEntries(wallets.map(({ spec, address }) => [nameOf(spec), address])) };

const asText = ({ perRefund, perHour, perDay }: Limits) => ({
  perRefund: String(perRefund),
  perHour: String(perHour),
  perDay: String(perDay),
});
