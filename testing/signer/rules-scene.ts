// Orders and a journal's index for tests of the signer's rules alone. It signs nothing and loads no chain's library (signer-scene does).

import type { MacKeys } from '@/lib/platform/crypto';
import { networkSpec, type NetworkSpec } from '@/lib/networks/networks';
import type { Validity } from '@/lib/networks/sending/send';
import { makeEvidence } from '@/lib/signer/attestations/refund-evidence';
import { Archive } from '@/lib/signer/journal/archive';
import { JournalIndex } from '@/lib/signer/journal/journal-index';
import type { Entry } from '@/lib/signer/journal/record';
import type { RefundOrder } from '@/lib/signer/orders';
import type { Allowed, Policy } from '@/lib/signer/policy';
import { Refusal } from '@/lib/signer/refusal';

/** Milliseconds. */
export const NOW = 1_800_000_000_000;
export const KEY: MacKeys = [Buffer.alloc(32, 3)];
export const TO = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8';
export const ethereum = networkSpec('test', 'ethereum', 'local') as NetworkSpec;
const token = ethereum.tokens.USDT as NonNullable<NetworkSpec['tokens']['USDT']>;

export const rules = (over: Partial<Policy> = {}): Policy => ({
  chains: [ethereum],
  limits: { perRefund: 1_000n, perHour: 1_000n, perDay: 3_000n },
  claimLimits: { perRefund: 100n, perHour: 200n, perDay: 500n },
  payoutLimits: { perRefund: 100n, perHour: 200n, perDay: 500n },
  cold: { wallets: [], limits: { perRefund: 1_000_000n, perHour: 2_000_000n, perDay: 5_000_000n } },
  fees: new Map(),
  batches: [],
  approvalAbove: 700n,
  payoutApprovalAbove: 60n,
  approvals: { file: 'approvers.json', publicUrl: 'https://pay.example' },
  evidenceKey: KEY,
  ...over,
});

export type Given = {
  readonly intentId?: string;
  readonly cents?: bigint;
  readonly kind?: 'payer' | 'claim' | 'payout' | 'cold';
  readonly environment?: 'live' | 'test';
  readonly mostCents?: bigint;
  readonly session?: string;
};

/** An order that passed the checks, for USDT on the local Ethereum. */
export function allowedOrder({ intentId = 're_new', cents = 1n, kind = 'payer', ...given }: Given = {}): Allowed {
  const { environment = 'test', mostCents = 1_000_000n, session = `cs_${intentId}` } = given;
  const order: RefundOrder = {
    ...{ intentId, environment, network: 'ethereum', currency: 'USDT', contract: token.contract, to: TO },
    amount: String(cents * 10_000n),
    evidence: makeEvidence(KEY, environment, {
      ...{ kind, session, network: 'ethereum', address: TO, reference: 'transfer/1' },
      mostCents: String(mostCents),
    }),
  };
  return { order, spec: ethereum, token, cents, feeCap: ethereum.feeCap };
}

/** An index with payments that were signed before. `attempts`: how often each was signed. */
export function indexOf(...signed: (Given & { at?: number; attempts?: number; validity?: Validity })[]): JournalIndex {
  const index = new JournalIndex(new Archive('/nonexistent/journal', Buffer.alloc(32)));
  let number = 0;
  const take = (at: number, entry: Entry) =>
    index.take({ number: number++, at, previous: '0'.repeat(64), hash: '0'.repeat(64), entry }, 0);
  for (const { at = NOW, attempts = 1, validity = { kind: 'time', expiresAt: 0 } as const, ...given } of signed) {
    const { order, cents } = allowedOrder(given);
    take(at, { kind: 'opened', chain: ethereum.chain, cents: String(cents), order });
    const draft = { family: 'evm', intentId: order.intentId, from: order.to, unsigned: '0x00' } as const;
    const entry: Entry = {
      ...{ kind: 'signed', intentId: order.intentId, digest: '0'.repeat(64), draft, lapsed: null },
      signed: { hash: '0x00', bytes: '0x00', validity },
    };
    for (let n = 0; n < attempts; n++) take(at, entry);
  }
  return index;
}

/** The code and the message of the refusal; null when there is none. */
export function refusalOf(work: () => unknown): string | null {
  try {
    work();
  } catch (error) {
    if (error instanceof Refusal) return `${error.code}: ${error.message}`;
    throw error;
  }
  return null;
}
