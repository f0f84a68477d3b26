// The transactions of one refund or payout, and the events about it, as columns of the statement that reads it.

import type { AttemptStatus } from '@/prisma/generated/enums';

/** Times in Unix seconds. */
export type AttemptFacts = {
  readonly number: number;
  readonly status: AttemptStatus;
  readonly hash: string | null;
  readonly drafted_at: number;
  readonly signed_at: number | null;
  readonly sent_at: number | null;
  readonly seen_at: number | null;
  readonly ended_at: number | null;
  readonly confirmations: number;
  readonly outcome: string | null;
};

export type AttemptView = AttemptFacts & { readonly explorerUrl: string | null };

/** A refund or payout has only a few of each. */
const MAX = 100;

/** A column of time as Unix seconds. */
export const unix = (column: string): string => `extract(epoch FROM ${column})::float8`;

/** `AttemptFacts[]`. `intent`: the column with the id of the refund or payout. */
export const attemptsOf = (intent: string): string => `coalesce((SELECT json_agg(a) FROM (
         SELECT number, status, hash, ${unix('drafted_at')} AS drafted_at, ${unix('signed_at')} AS signed_at,
                ${unix('sent_at')} AS sent_at, ${unix('seen_at')} AS seen_at, ${unix('ended_at')} AS ended_at, confirmations, outcome
           FROM refund_attempts WHERE intent_id = ${intent} ORDER BY number LIMIT ${MAX}) a), '[]')`;

/** `EventFacts[]`. */
export const eventsAbout = (object: string): string => `coalesce((SELECT json_agg(e) FROM (
         SELECT e.id, e.type, ${unix('e.created_at')} AS created_at, d.status AS delivery, d.attempts, NULL AS status_code
           FROM events e LEFT JOIN LATERAL (SELECT status, attempts FROM deliveries WHERE event_id = e.id ORDER BY id DESC LIMIT 1) d ON true
          WHERE e.object_id = ${object} ORDER BY e.created_at LIMIT ${MAX}) e), '[]')`;
