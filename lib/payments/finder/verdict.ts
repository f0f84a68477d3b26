// The verdict on a transaction for one session, from the session, its recorded transfers and the reports of the chains. Pure. It
// explains and never credits: only the watcher counts money. It never reveals the recipient of a foreign payment.

import type { TransactionReport } from '@/lib/networks/chain';
import { tokenOf, type NetworkSpec } from '@/lib/networks/networks';
import { baseUnitsToCents, centsToText, commonToCents, toCommon } from '@/lib/money/amounts';
import { objection, type Objection } from '@/lib/payments/sessions/settle/judge';
import type { ExceptionState } from '@/prisma/generated/enums';
import type { FinderSession, RecordedTransfer } from './facts';

/** The response of one network: a report, null for an unknown transaction, or `unanswered` when it could not be requested. */
export type Answer = { readonly spec: NetworkSpec; readonly report: TransactionReport | null | 'unanswered' };

/** The received amount: decimal text with two digits, rounded down. */
type Arrived = { readonly network: string; readonly currency: string; readonly amount: string };

/** Confirmation state. `missing`: blocks until finality, 0 when final, null when the network does not report it. */
type Progress = { readonly confirmations: number | null; readonly missing: number | null };

/** The amount still missing with this payment counted; null when none is awaited. */
type Short = { readonly short: string | null };

export type FindVerdict =
  | ({ readonly verdict: 'counted' } & Arrived & Short)
  | ({ readonly verdict: 'waiting' } & Arrived & Progress & Short)
  /** A real payment that does not count without a decision. `decision`: the shop's decision; null while the payment is not final. */
  | ({ readonly verdict: NotCounted; readonly decision: ExceptionState | null } & Arrived & Progress)
  | {
      readonly verdict: 'unmined' | 'failed' | 'fake_token' | 'other_address' | 'no_token' | 'unclear';
      readonly network: string;
    }
  | {
      readonly verdict: 'not_found' | 'unanswered';
      readonly asked: readonly string[];
      readonly unanswered: readonly string[];
    }
  | { readonly verdict: 'unreadable'; readonly looksLike: 'address' | null };

/**
 * `unfinished`: in time, but the whole price was never paid. `returned`: a normal payment that the shop refunds completely.
 */
type NotCounted = 'too_early' | 'wrong_network' | 'wrong_token' | 'too_late' | 'unfinished' | 'returned';

export const VERDICTS = [
  'counted',
  'waiting',
  'too_early',
  'wrong_network',
  'wrong_token',
  'too_late',
  'unfinished',
  'returned',
  'unmined',
  'failed',
  'fake_token',
  'other_address',
  'no_token',
  'unclear',
  'not_found',
  'unanswered',
  'unreadable',
] as const satisfies readonly FindVerdict['verdict'][];

/** Reports contain at most this many movements (chain.ts); more may have been cut off. */
const MAX_MOVEMENTS = 100;

/** The verdict from recorded transfers; null when the transaction has none. */
export function recordedVerdict(session: FinderSession, transfers: readonly RecordedTransfer[]): FindVerdict | null {
  const judged = transfers.map((transfer) => ({ ...transfer, why: recordedExceptionOf(session, transfer) }));
  const chosen = judged.find(({ why }) => why === null) ?? judged[0];
  if (!chosen) return null;
  const alike = judged.filter((one) => one.why === chosen.why && one.currency === chosen.currency);
  const arrived = arrivedFrom(chosen, alike);
  if (chosen.why === null) return { verdict: 'counted', ...arrived, short: shortOf(session, 0n) };
  const decision = chosen.why === 'returned' ? 'refund' : (chosen.decision ?? 'open');
  return { verdict: chosen.why, ...arrived, confirmations: null, missing: 0, decision };
}

/** The verdict from the responses of the networks. Returns the one most relevant to this session. */
export function chainVerdict(session: FinderSession, answers: readonly Answer[]): FindVerdict {
  const found = answers.flatMap(({ spec, report }) =>
    report === null || report === 'unanswered' ? [] : [reportVerdict(session, spec, report)],
  );
  const [best] = found.toSorted((a, b) => VERDICTS.indexOf(a.verdict) - VERDICTS.indexOf(b.verdict));
  if (best) return best;
  const asked = answers.map(({ spec }) => spec.network);
  const unanswered = answers.filter(({ report }) => report === 'unanswered').map(({ spec }) => spec.network);
  const isSilent = unanswered.length === asked.length && asked.length > 0;
  return { verdict: isSilent ? 'unanswered' : 'not_found', asked, unanswered };
}

/** Whether a report shows a final payment to the session. The watcher must have recorded it, or be about to. */
export const isFinalPayment = (session: FinderSession, { spec, report }: Answer): boolean =>
  report !== null && report !== 'unanswered' && report.missing === 0 && gains(session, spec, report).length > 0;

/** Why a payment does not count without a decision, or null. */
function exceptionOf(session: FinderSession, payment: Parameters<typeof objection>[1]): NotCounted | null {
  const found = objection(session, payment);
  if (found !== null) return VERDICT_OF[found];
  return session.status === 'failed' && payment.decision !== 'accepted' ? 'unfinished' : null;
}

const recordedExceptionOf = (session: FinderSession, transfer: RecordedTransfer): NotCounted | null =>
  objection(session, transfer) === null && transfer.amount > 0n && transfer.returned === transfer.amount
    ? 'returned'
    : exceptionOf(session, transfer);

const VERDICT_OF = {
  early: 'too_early',
  wrong_network: 'wrong_network',
  wrong_token: 'wrong_token',
  late: 'too_late',
} as const satisfies Record<Objection, NotCounted>;

function reportVerdict(session: FinderSession, spec: NetworkSpec, report: TransactionReport): FindVerdict {
  const { network } = spec;
  if (!report.block) return { verdict: 'unmined', network };
  if (!report.succeeded) return { verdict: 'failed', network };
  const blockTime = report.block.time;
  const judged = gains(session, spec, report).map((gain) => ({
    ...gain,
    why: exceptionOf(session, { ...gain, blockTime, decision: null }),
  }));
  const chosen = judged.find(({ why }) => why === null) ?? judged[0];
  if (!chosen) return foreignVerdict(session, spec, report);
  const { confirmations, missing } = report;
  const progress = { confirmations, missing };
  const arrived = arrivedFrom(chosen, [chosen]);
  if (chosen.why !== null) return { verdict: chosen.why, ...arrived, ...progress, decision: null };
  const counting = judged.filter(({ why }) => why === null);
  const adds = counting.reduce((sum, { amount, decimals }) => sum + toCommon(amount, decimals), 0n);
  return { verdict: 'waiting', ...arrived, ...progress, short: shortOf(session, commonToCents(adds)) };
}

/** A transaction that pays this session no known token. */
function foreignVerdict(
  session: FinderSession,
  { network, family }: NetworkSpec,
  { movements }: TransactionReport,
): FindVerdict {
  const own = session.addresses[family];
  if (movements.some(({ recipient, currency, amount }) => recipient === own && currency === null && amount > 0n))
    return { verdict: 'fake_token', network };
  if (movements.length >= MAX_MOVEMENTS) return { verdict: 'unclear', network };
  return { verdict: movements.length > 0 ? 'other_address' : 'no_token', network };
}

type Gain = { readonly network: string; readonly currency: string; readonly amount: bigint; readonly decimals: number };

/** The net amount of each known token that the session's address gained: incoming less outgoing. */
function gains(session: FinderSession, spec: NetworkSpec, { movements }: TransactionReport): Gain[] {
  const own = session.addresses[spec.family];
  const net = new Map<string, bigint>();
  for (const { contract, payer, recipient, amount } of movements) {
    const change = (recipient === own ? amount : 0n) - (payer === own ? amount : 0n);
    net.set(contract, (net.get(contract) ?? 0n) + change);
  }
  return [...net].flatMap(([contract, amount]): Gain[] => {
    const known = tokenOf(spec, contract);
    if (!known || amount <= 0n) return [];
    return [{ network: spec.network, currency: known.currency, amount, decimals: known.token.decimals }];
  });
}

function arrivedFrom({ network, currency, decimals }: Gain, alike: readonly Gain[]): Arrived {
  const total = alike.reduce((sum, { amount }) => sum + amount, 0n);
  return { network, currency, amount: centsToText(baseUnitsToCents(total, decimals)) };
}

/** `adds`: cents of this payment that are not counted yet. */
function shortOf({ status, amountDue, amountReceived }: FinderSession, adds: bigint): string | null {
  const left = amountDue - amountReceived - adds;
  return status === 'pending' && left > 0n ? centsToText(left) : null;
}
