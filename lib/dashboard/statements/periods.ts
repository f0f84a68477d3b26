// The periods that the balances page offers for download: the days that its list shows, and the last months with activity.

import type { Db } from '@/lib/platform/database/db';
import { unixSeconds } from '@/lib/platform/clock';
import type { DateFilters } from '@/lib/dashboard/lists/filters';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import { listMonths } from '@/lib/ledger/statements/months';
import type { StatementScope } from '@/lib/ledger/statements/parts';
import { monthPeriod } from '@/lib/ledger/statements/period';

/** `query`: of the download. `hash`: of a closed month. */
export type OfferedPeriod = {
  readonly query: string;
  readonly label: string;
  readonly hash: string | null;
  readonly isMonth: boolean;
};

/** Older months are downloaded by the address of a download. */
const MOST_MONTHS = 36;

/** The newest month first; before it the days of the filters, if they have a beginning and an end. */
export async function offeredPeriods(
  db: Db,
  of: StatementScope,
  { filters, words }: { readonly filters: DateFilters; readonly words: Pick<DashboardWords, 't' | 'format'> },
): Promise<OfferedPeriod[]> {
  const { t, format } = words;
  const months = (await listMonths(db, of, MOST_MONTHS)).flatMap(({ month, hash }) => {
    const period = monthPeriod(month);
    if (!period) return [];
    return [{ query: `month=${month}`, label: format.month(unixSeconds(period.from)), hash, isMonth: true }];
  });
  const { from, to } = filters;
  if (months.length === 0 || !from || !to || to <= from) return months;
  const last = new Date(to.getTime() - 1);
  const [first, end] = [from, last].map((day) => format.day(unixSeconds(day)));
  const query = `from=${dayOf(from)}&to=${dayOf(last)}`;
  return [{ query, label: t('stmDays', { from: first ?? '', to: end ?? '' }), hash: null, isMonth: false }, ...months];
}

const dayOf = (time: Date): string => time.toISOString().slice(0, 10);
