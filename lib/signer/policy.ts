// What the signer may pay at all, from its own settings: which tokens on which chains, to whom, how much per refund, hour and
// day. Pure. Everything that is not allowed here is refused; with no settings that is everything.

import { requestAddress } from '@/lib/networks/families/tron/address';
import { keyBytes } from '@/lib/networks/families/solana/address';
import { NETWORKS, tokenOf, type NetworkSpec, type Token } from '@/lib/networks/networks';
import { isEvidence } from '@/lib/signer/attestations/refund-evidence';
import type { RefundAccounts } from '@/lib/treasury/wallets/derivation-refund';
import type { RefundOrder } from './orders';
import type { ApprovalSettings } from './approvals/approvals';
import { Refusal } from './refusal';

/** In cents of each currency of each environment. */
export type Limits = { readonly perRefund: bigint; readonly perHour: bigint; readonly perDay: bigint };

export type Policy = {
  /** The chains that may be paid on: at most one per environment and network. */
  readonly chains: readonly NetworkSpec[];
  readonly limits: Limits;
  /** For payments to an address that a customer gave and two operators did not approve; they count against `limits` too. */
  readonly claimLimits: Limits;
  /** Cents of a session's refunds above which two operators approve each further one. */
  readonly approvalAbove: bigint;
  /** Null when there is no list of approvers: then a live payment that needs approval is refused. */
  readonly approvals: ApprovalSettings | null;
  /** Null when there is no EVIDENCE_KEY: then no destination is bound, and nothing is paid. */
  readonly evidenceKey: Uint8Array | null;
};

/** An order that passed, with what the tables say about it. `cents` is its amount in cents. */
export type Allowed = {
  readonly order: RefundOrder;
  readonly spec: NetworkSpec;
  readonly token: Token;
  readonly cents: bigint;
  readonly feeCap: bigint;
};

/** Checks all of an order that needs no memory. Throws a Refusal: `not_allowed`, `evidence` or `limit`. */
export function allow(order: RefundOrder, policy: Policy, accounts: RefundAccounts): Allowed {
  const spec = policy.chains.find((one) => one.environment === order.environment && one.network === order.network);
  if (!spec) throw new Refusal('not_allowed', 'the settings of the signer do not allow this network');
  const token = Object.hasOwn(spec.tokens, order.currency) ? spec.tokens[order.currency] : undefined;
  // One that is offered no more arrives all the same, and can only be sent back as what it is.
  if (!token || token.contract !== order.contract) {
    throw new Refusal('not_allowed', 'the contract is not the token of this currency on this network');
  }
  checkDestination(order, spec, accounts);
  checkEvidence(order, policy.evidenceKey);
  const cents = centsOf(order.amount, token);
  if (cents > policy.limits.perRefund) throw new Refusal('limit', 'the amount is above the limit per refund');
  if (cents > BigInt(order.evidence.mostCents)) throw new Refusal('limit', 'the amount is above what the session paid');
  return { order, spec, token, cents, feeCap: spec.feeCap };
}

/** The chains of a setting such as `ethereum@mainnet,tron@local`. Throws an Error for names that are none. */
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

/** Rounds nothing: an amount with a part of a cent is refused, because refunds are whole cents. */
function centsOf(amount: string, token: Token): bigint {
  const unit = 10n ** BigInt(token.decimals - 2);
  const base = BigInt(amount);
  if (base <= 0n || base % unit !== 0n) throw new Refusal('not_allowed', 'the amount is not a whole number of cents');
  return base / unit;
}

function checkDestination({ to, environment }: RefundOrder, spec: NetworkSpec, accounts: RefundAccounts): void {
  if (!isAddress(to, spec)) throw new Refusal('not_allowed', 'the destination is not an address of this network');
  const isToken = tokenOf(spec, to) !== null;
  if (isToken || to === accounts.of(environment, spec.family).address) {
    throw new Refusal('not_allowed', 'the destination is a token or the refund wallet itself');
  }
}

function isAddress(to: string, spec: NetworkSpec): boolean {
  switch (spec.family) {
    case 'evm':
      return /^0x[0-9a-f]{40}$/.test(to) && !/^0x0+$/.test(to);
    case 'solana':
      return keyBytes(to)?.some((byte) => byte !== 0) ?? false;
    case 'tron':
      return isTronAddress(to);
  }
}

function isTronAddress(to: string): boolean {
  try {
    return !/^410+$/.test(requestAddress(to));
  } catch {
    // The decoder throws for text that is no address, and for nothing else.
    return false;
  }
}

function checkEvidence({ environment, network, to, evidence }: RefundOrder, key: Uint8Array | null): void {
  if (!key) throw new Refusal('evidence', 'the signer has no EVIDENCE_KEY, so it pays nobody');
  if (!isEvidence(key, environment, evidence))
    throw new Refusal('evidence', 'the evidence was not made by the watcher');
  if (evidence.network !== network || evidence.address !== to) {
    throw new Refusal('evidence', 'the evidence is for another destination');
  }
}
