// How fast the sponsor uses its coin, and whether what it has lasts. Pure. Amounts are in the coin's smallest unit.

import type { NetworkSpec } from '@/lib/networks/networks';

const DAY_MILLISECONDS = 86_400_000;
const DAYS = 7;

/** `used`: within the last 7 days. An installation that swept first less than 7 days ago is judged by the time since, at least a day. */
export function coinPerDay(of: {
  readonly used: bigint;
  readonly firstAt: Date | null;
  readonly now: Date;
}): bigint | null {
  const { used, firstAt, now } = of;
  if (used <= 0n || firstAt === null) return null;
  const since = now.getTime() - firstAt.getTime();
  const milliseconds = BigInt(Math.min(Math.max(since, DAY_MILLISECONDS), DAYS * DAY_MILLISECONDS));
  return (used * BigInt(DAY_MILLISECONDS)) / milliseconds || 1n;
}

/** Whole days that the coin lasts, rounded down; null while no use is known. */
export const daysLeft = (coin: bigint, perDay: bigint | null): bigint | null =>
  perDay === null ? null : coin / perDay;

/** Whether the coin lasts less than a day. Without use: whether it is less than the most that one transaction may cost. */
export const isCoinLow = (
  { feeCap }: Pick<NetworkSpec, 'feeCap'>,
  { coin, perDay }: { readonly coin: bigint; readonly perDay: bigint | null },
): boolean => coin < (perDay ?? feeCap);
