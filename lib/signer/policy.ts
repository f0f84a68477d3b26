// What the signer may pay, from its own settings: tokens and chains, destinations, and limits per payment, hour and day.
// Pure. Everything else is refused, so a signer without settings refuses everything.

import type { MacKeys } from '@/lib/platform/crypto';
import { DRAFT_FAMILIES } from '@/lib/networks/families/drafts';
import { NETWORKS, tokenOf, type NetworkSpec, type Token } from '@/lib/networks/networks';
import { isEvidence } from '@/lib/signer/attestations/refund-evidence';
import type { RefundAccounts } from '@/lib/treasury/wallets/derivation-refund';
import type { RefundOrder } from './orders';
import type { ApprovalSettings } from './approvals/approvals';
import { Refusal } from './refusal';
import type { BatchToken } from './batches/policy';
import { nameOf } from './sweeps/policy';

/** In cents of each currency of each environment. `perRefund`: per payment. */
export type Limits = { readonly perRefund: bigint; readonly perHour: bigint; readonly perDay: bigint };

export type Policy = {
  /** The chains to pay on, at most one per environment and network. */
  readonly chains: readonly NetworkSpec[];
  readonly limits: Limits;
  /**
   * For payments to an address that a customer gave and that two operators did not approve. They also count against
   * `limits`.
   */
  readonly claimLimits: Limits;
  /** For payouts of stores' balances, which do not count against `limits`. All 0: no payouts. */
  readonly payoutLimits: Limits;
  /** The operator's cold wallets, at most one for each chain. Excess of the refund wallet goes there, within limits of its own. */
  readonly cold: { readonly wallets: readonly ColdWallet[]; readonly limits: Limits };
  /** The most coin that payments of an hour may cost, in its smallest unit, by network as `ethereum@mainnet`. The others have a default. */
  readonly fees: ReadonlyMap<string, bigint>;
  /** Where payouts are paid in batches, at most once for each token of a network. */
  readonly batches: readonly BatchToken[];
  /** Above this many cents of refunds in a session, two operators must approve each further one. */
  readonly approvalAbove: bigint;
  /** Above this many cents, two operators must approve a payout. */
  readonly payoutApprovalAbove: bigint;
  /** Null without a list of approvers. Live payments that need approval are refused then. */
  readonly approvals: ApprovalSettings | null;
  /** Null without EVIDENCE_KEY. No destination can be verified then, so nothing is paid. */
  readonly evidenceKey: MacKeys | null;
};

type ColdWallet = { readonly spec: NetworkSpec; readonly address: string };

/** An order that passed the checks, with its network and token. `cents` is its amount in cents. */
export type Allowed = {
  readonly order: RefundOrder;
  readonly spec: NetworkSpec;
  readonly token: Token;
  readonly cents: bigint;
  readonly feeCap: bigint;
};

/**
 * Checks everything about an order that does not depend on the journal. Throws a Refusal: `not_allowed`, `evidence` or
 * `limit`.
 */
export function allow(order: RefundOrder, policy: Policy, accounts: RefundAccounts): Allowed {
  const spec = policy.chains.find((one) => one.environment === order.environment && one.network === order.network);
  if (!spec) throw new Refusal('not_allowed', 'the settings of the signer do not allow this network');
  const token = Object.hasOwn(spec.tokens, order.currency) ? spec.tokens[order.currency] : undefined;
  // A token that is no longer offered still arrives, and it can only be refunded in the same token.
  if (!token || token.contract !== order.contract) {
    throw new Refusal('not_allowed', 'the contract is not the token of this currency on this network');
  }
  checkDestination(order, spec, accounts);
  if (order.evidence.kind === 'cold') checkColdWallet(order, spec, policy);
  checkEvidence(order, policy.evidenceKey);
  const cents = centsOf(order.amount, token);
  if (cents > limitsOf(policy, order).perRefund) throw aboveLimit(policy, order);
  if (cents > BigInt(order.evidence.mostCents)) {
    const what = MOST[order.evidence.kind];
    throw new Refusal('limit', `the amount is above what ${what}`);
  }
  return { order, spec, token, cents, feeCap: spec.feeCap };
}

/** The limits that an order counts against. */
export function limitsOf({ limits, payoutLimits, cold }: Policy, { evidence }: Pick<RefundOrder, 'evidence'>): Limits {
  if (evidence.kind === 'cold') return cold.limits;
  return evidence.kind === 'payout' ? payoutLimits : limits;
}

const MOST = {
  payer: 'the session paid',
  claim: 'the session paid',
  payout: 'the store has',
  cold: 'the worker attested',
} as const;

/** Whatever the worker attests, a cold transfer goes to the wallet that the signer's own settings name. */
function checkColdWallet({ to }: RefundOrder, spec: NetworkSpec, { cold }: Policy): void {
  if (cold.wallets.some((one) => nameOf(one.spec) === nameOf(spec) && one.address === to)) return;
  throw new Refusal('not_allowed', 'the destination is not the cold wallet of the settings: see SIGNER_COLD_WALLETS');
}

function aboveLimit({ payoutLimits }: Policy, { evidence }: RefundOrder): Refusal {
  if (evidence.kind === 'cold') {
    const message = 'the amount is above the limit per cold transfer: see SIGNER_COLD_CENTS_PER_TRANSFER';
    return new Refusal('not_allowed', message);
  }
  if (evidence.kind !== 'payout') return new Refusal('limit', 'the amount is above the limit per refund');
  // A payout above it never becomes payable by waiting.
  const what = payoutLimits.perRefund > 0n ? 'no payouts above the limit per payout' : 'no payouts';
  return new Refusal('not_allowed', `the settings of the signer allow ${what}: see SIGNER_PAYOUT_CENTS_PER_PAYOUT`);
}

/** Parses a setting such as `ethereum@mainnet,tron@local`. Throws an Error for an unknown name. */
export function chainsOf(setting: string, table: readonly NetworkSpec[] = NETWORKS): readonly NetworkSpec[] {
  const names = setting.split(',').flatMap((name) => name.trim() || []);
  const chains = names.map((name) => {
    const spec = table.find((row) => `${row.network}@${row.chain}` === name);
    if (!spec) throw new Error('names no network, such as ethereum@mainnet');
    return spec;
  });
  const slots = new Set(chains.map(({ environment, network }) => `${environment} ${network}`));
  if (slots.size !== chains.length) throw new Error('names two chains of one network for one environment');
  return chains;
}

/** Refuses an amount with a fraction of a cent, because refunds are whole cents. */
function centsOf(amount: string, token: Token): bigint {
  const unit = 10n ** BigInt(token.decimals - 2);
  const base = BigInt(amount);
  if (base <= 0n || base % unit !== 0n) throw new Refusal('not_allowed', 'the amount is not a whole number of cents');
  return base / unit;
}

function checkDestination({ to, environment }: RefundOrder, spec: NetworkSpec, accounts: RefundAccounts): void {
  if (!DRAFT_FAMILIES[spec.family].isPayable(to))
    throw new Refusal('not_allowed', 'the destination is not an address of this network');
  const isToken = tokenOf(spec, to) !== null;
  if (isToken || to === accounts.of(environment, spec.family).address) {
    throw new Refusal('not_allowed', 'the destination is a token or the refund wallet itself');
  }
}

function checkEvidence({ environment, network, to, evidence }: RefundOrder, key: MacKeys | null): void {
  if (!key) throw new Refusal('evidence', 'the signer has no EVIDENCE_KEY, so it pays no refunds');
  if (!isEvidence(key, environment, evidence))
    throw new Refusal('evidence', 'the watcher did not attest this destination');
  if (evidence.network !== network || evidence.address !== to) {
    throw new Refusal('evidence', 'the evidence is for another destination');
  }
}
