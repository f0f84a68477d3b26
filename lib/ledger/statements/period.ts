// The period of a statement: whole days in UTC, as everywhere in the dashboard. Pure.

/** `to` is the first moment after it. `month`: the calendar month that it is, `2026-10`; null for other periods. */
export type Period = { readonly from: Date; readonly to: Date; readonly month: string | null };

const MONTH = /^(20\d\d)-(0[1-9]|1[0-2])$/;

/** The period of `2026-10`; null if the text is no month. */
export function monthPeriod(month: string): Period | null {
  const [, year, number] = MONTH.exec(month) ?? [];
  if (year === undefined || number === undefined) return null;
  const start = (offset: number): Date => new Date(Date.UTC(Number(year), Number(number) - 1 + offset, 1));
  return { from: start(0), to: start(1), month };
}

/** The period of the year `2026`, given as four digits. */
export const yearPeriod = (year: string): Period => ({
  from: new Date(Date.UTC(Number(year), 0, 1)),
  to: new Date(Date.UTC(Number(year) + 1, 0, 1)),
  month: null,
});

/** The month of a time, in UTC. */
export const monthOf = (time: Date): string => time.toISOString().slice(0, 7);

/** The months from one to another, both included, the newest first and at most `most` of them. */
export function monthsBetween(first: string, last: string, most: number): string[] {
  const months: string[] = [];
  for (let month = last; month >= first && months.length < most; month = monthBefore(month)) months.push(month);
  return months;
}

const monthBefore = (month: string): string => monthOf(new Date(Date.parse(`${month}-01T00:00:00.000Z`) - 1));
