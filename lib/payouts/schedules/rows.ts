// The rows of payout schedules: which one, and when it is decided next.

import type { Environment } from '@/lib/platform/ids';
import type { PayoutInterval } from '@/prisma/generated/enums';
import { periodAt } from './periods';

/** A schedule is for one token on one network of a store. */
export type ScheduleKey = {
  readonly storeId: string;
  readonly environment: Environment;
  readonly network: string;
  readonly currency: string;
};

/** How often payouts are requested; `manual` has no schedule. */
export type ScheduleInterval = Exclude<PayoutInterval, 'manual'>;

/**
 * Why the last decision requested nothing. `balance`: there was less than the least amount above what is kept and what refunds wait for. `no_address`: the store has no payout address
 * on the network. `not_active`: the store may not act. `open`: its former payout has not ended. `too_many`: the store
 * requested fifty within a day. `unknown_asset`: the network does not exist here, or has no such token.
 */
export type ScheduleReason = 'balance' | 'no_address' | 'not_active' | 'open' | 'too_many' | 'unknown_asset';

/** When a new schedule is decided first: a threshold at once, the others when the next period starts. */
export const firstRunOf = (interval: ScheduleInterval, now: Date): Date =>
  interval === 'threshold' ? now : periodAt(interval, now).end;

/** The names of all payouts that schedules request begin with it, and no others (lib/payouts/request). */
export const NAME_START = 'scheduled_';
export const isScheduledName = (payoutId: string): boolean => payoutId.startsWith(NAME_START);
