// The events of a payment in order, each with the facts that pages need. Pure.

import type { ExceptionState, RefundStatus, SessionStatus } from '@/prisma/generated/enums';

type Transfer = {
  readonly amount: string;
  readonly currency: string;
  readonly network: string;
  readonly explorerUrl: string | null;
  readonly transaction_hash: string;
  readonly block_time: number;
  readonly seen_at: number | null;
  readonly final_at: number | null;
  readonly orphaned_at: number | null;
  readonly final: boolean;
  readonly confirmations: number;
  readonly confirmationsRequired: number;
};
type Coins = Pick<Transfer, 'amount' | 'currency' | 'network' | 'explorerUrl' | 'transaction_hash'>;

/** `at`: Unix seconds. */
export type Moment = { readonly at: number } & (
  | { readonly kind: 'created' }
  | ({
      readonly kind: 'seen';
      readonly confirmations: number;
      readonly required: number;
      readonly isFinal: boolean;
    } & Coins)
  | ({ readonly kind: 'confirmed' | 'orphaned' } & Coins)
  | { readonly kind: 'status'; readonly move: string; readonly to: SessionStatus }
  | { readonly kind: 'exception'; readonly exceptionKind: string; readonly amount: string; readonly currency: string }
  | { readonly kind: 'decided'; readonly state: ExceptionState; readonly note: string | null }
  | { readonly kind: 'refund'; readonly id: string; readonly amount: string; readonly currency: string }
  | {
      readonly kind: 'refundEnded';
      readonly id: string;
      readonly status: RefundStatus;
      readonly amount: string;
      readonly currency: string;
    }
  | { readonly kind: 'event'; readonly type: string; readonly delivery: string | null }
);

export type TimelineFacts = {
  readonly created_at: number;
  readonly transfers: readonly Transfer[];
  readonly changes: readonly { readonly move: string; readonly to: SessionStatus; readonly at: number }[];
  readonly exceptions: readonly {
    readonly kind: string;
    readonly state: ExceptionState;
    readonly amount: string;
    readonly currency: string;
    readonly created_at: number;
    readonly decided_at: number | null;
    readonly note: string | null;
  }[];
  readonly refunds: readonly {
    readonly id: string;
    readonly status: RefundStatus;
    readonly amount: string;
    readonly currency: string;
    readonly created_at: number;
    readonly processed_at: number | null;
  }[];
  readonly events: readonly { readonly type: string; readonly created_at: number; readonly delivery: string | null }[];
};

/** At equal times a cause comes before its effect. */
const ORDER: readonly Moment['kind'][] = [
  'created',
  'seen',
  'confirmed',
  'orphaned',
  'exception',
  'decided',
  'status',
  'refund',
  'refundEnded',
  'event',
];

/** The oldest first. */
export function timelineOf(facts: TimelineFacts): Moment[] {
  const moments: Moment[] = [
    { kind: 'created', at: facts.created_at },
    ...facts.transfers.flatMap(transferMoments),
    ...facts.changes.map(({ move, to, at }) => ({ kind: 'status', move, to, at }) as const),
    ...facts.exceptions.flatMap(exceptionMoments),
    ...facts.refunds.flatMap(refundMoments),
    ...facts.events.map(({ type, delivery, created_at: at }) => ({ kind: 'event', type, delivery, at }) as const),
  ];
  // Times of one transaction differ by milliseconds at most, in an order without meaning.
  return moments.toSorted(
    (a, b) => Math.floor(a.at) - Math.floor(b.at) || ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) || a.at - b.at,
  );
}

function transferMoments(one: Transfer): Moment[] {
  const { amount, currency, network, explorerUrl, transaction_hash } = one;
  const coins: Coins = { amount, currency, network, explorerUrl, transaction_hash };
  const progress = { confirmations: one.confirmations, required: one.confirmationsRequired, isFinal: one.final };
  const seen = one.seen_at ?? (one.final ? null : one.block_time);
  return [
    ...(seen === null ? [] : [{ kind: 'seen', at: seen, ...coins, ...progress } as const]),
    ...(one.final_at === null ? [] : [{ kind: 'confirmed', at: one.final_at, ...coins } as const]),
    ...(one.orphaned_at === null ? [] : [{ kind: 'orphaned', at: one.orphaned_at, ...coins } as const]),
  ];
}

const exceptionMoments = (one: TimelineFacts['exceptions'][number]): Moment[] => [
  { kind: 'exception', at: one.created_at, exceptionKind: one.kind, amount: one.amount, currency: one.currency },
  ...(one.decided_at === null
    ? []
    : [{ kind: 'decided', at: one.decided_at, state: one.state, note: one.note } as const]),
];

function refundMoments({
  id,
  status,
  amount,
  currency,
  created_at,
  processed_at,
}: TimelineFacts['refunds'][number]): Moment[] {
  const made: Moment = { kind: 'refund', at: created_at, id, amount, currency };
  return processed_at === null
    ? [made]
    : [made, { kind: 'refundEnded', at: processed_at, id, status, amount, currency }];
}
