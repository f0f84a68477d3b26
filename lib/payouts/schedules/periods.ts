// The periods of payout schedules, in UTC: days, weeks from Monday, and months. Pure.

import type { PayoutInterval } from '@/prisma/generated/enums';

export type PeriodInterval = Exclude<PayoutInterval, 'manual' | 'threshold'>;

type Period = {
  /** Its first day: 2026-11-29. */
  readonly name: string;
  /** Its end, when the next one starts. */
  readonly end: Date;
};

/** The period in which `now` is. */
export function periodAt(interval: PeriodInterval, now: Date): Period {
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  switch (interval) {
    case 'daily':
      return between(Date.UTC(year, month, day), Date.UTC(year, month, day + 1));
    case 'weekly': {
      const monday = day - ((now.getUTCDay() + 6) % 7);
      return between(Date.UTC(year, month, monday), Date.UTC(year, month, monday + 7));
    }
    case 'monthly':
      return between(Date.UTC(year, month, 1), Date.UTC(year, month + 1, 1));
  }
}

const between = (start: number, end: number): Period => ({
  name: new Date(start).toISOString().slice(0, 10),
  end: new Date(end),
});
