// The stage of a sale and the missing amount, derived only from the public status that the server decides. Pure.

import type { PublicStatus } from '@/lib/payments/checkout/view';

/** `short`: a part has arrived. `checking`: the sale expired, but the networks are not read up to that time yet. */
export type SaleStage =
  'pay' | 'short' | 'confirming' | 'checking' | 'unavailable' | 'paid' | 'expired' | 'canceled' | 'failed';

type Status = Pick<PublicStatus, 'status' | 'methods' | 'seen' | 'amount_due' | 'expires_at' | 'server_time'>;

const ENDS: Readonly<Record<string, SaleStage>> = {
  COMPLETED: 'paid',
  EXPIRED: 'expired',
  CANCELED: 'canceled',
  FAILED: 'failed',
};

export function saleStage(status: Status): SaleStage {
  const end = ENDS[status.status];
  if (end) return end;
  const counted = countedCents(status);
  if (status.methods.length > 0) return counted > 0n ? 'short' : 'pay';
  // The server offers nothing more once the full amount was seen, or once the session expired.
  if (counted >= centsOf(status.amount_due)) return 'confirming';
  if (status.server_time >= status.expires_at) return 'checking';
  return counted > 0n ? 'confirming' : 'unavailable';
}

/** Whether it can be paid now. */
export const isAwaited = (stage: SaleStage): boolean => stage === 'pay' || stage === 'short';

/** Nothing that is pending can change any more. */
export const isEnded = (stage: SaleStage): boolean =>
  stage === 'paid' || stage === 'expired' || stage === 'canceled' || stage === 'failed';

/** The received and the missing amount, decimal text; null unless a part has arrived and the rest is pending. */
export function shortOf(status: Status): { readonly received: string; readonly missing: string } | null {
  const missing = status.methods[0]?.amount;
  if (missing === undefined || saleStage(status) !== 'short') return null;
  return { received: textOf(centsOf(status.amount_due) - centsOf(missing)), missing };
}

/** The pending payment with the fewest confirmations; null when there is none. */
export function slowestPayment({ seen }: Pick<PublicStatus, 'seen'>): PublicStatus['seen'][number] | null {
  const waiting = seen.filter(({ verdict, final }) => verdict === 'counts' && !final);
  return waiting.toSorted((a, b) => a.confirmations - b.confirmations)[0] ?? null;
}

/** Whether a transfer arrived that does not count without a decision. */
export const hasException = ({ seen, exception }: Pick<PublicStatus, 'seen' | 'exception'>): boolean =>
  seen.some(({ verdict }) => verdict !== 'counts' && verdict !== 'orphaned') || ODD.has(exception);

const ODD: ReadonlySet<string> = new Set(['over', 'late', 'wrong_token', 'wrong_network']);

const countedCents = ({ seen }: Status): bigint =>
  seen.reduce((sum, { verdict, amount }) => (verdict === 'counts' ? sum + centsOf(amount) : sum), 0n);

/** For decimal text with two digits, as the server writes it. */
const centsOf = (text: string): bigint => BigInt(text.replace('.', ''));

function textOf(cents: bigint): string {
  const digits = cents.toString().padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
