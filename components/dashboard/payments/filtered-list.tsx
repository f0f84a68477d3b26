// The scaffold of a list that its page's address filters: the controls above it, what stands in place of missing rows, and the pager.

import type { ComponentProps, ReactNode } from 'react';
import { Empty } from '@/components/ui/card';
import type { Filter } from '@/components/ui/filter-bar';
import type { Page } from '@/lib/dashboard/lists/keyset';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import { ListHead } from './list-head';
import { ListPager } from './list-pager';

type Props<Row> = {
  readonly t: DashboardWords['t'];
  readonly page: Page<Row>;
  readonly isFiltered: boolean;
  /** Whether the store has nothing to list yet. An unfiltered list then has no controls. */
  readonly isNone?: boolean;
  readonly head: ComponentProps<typeof ListHead>;
  /** The title if no row passes the filters. */
  readonly nothingFound: string;
  /** Shown if there are no rows without filters. */
  readonly none: ReactNode;
  /** The list itself. */
  readonly children: (list: {
    readonly rows: readonly Row[];
    readonly empty: ReactNode;
    readonly foot: ReactNode;
  }) => ReactNode;
};

export function FilteredList<Row>({ t, page, isFiltered, head, nothingFound, none, children, ...given }: Props<Row>) {
  const { rows, older, newer } = page;
  const { isNone = rows.length === 0 && newer === null } = given;
  return (
    <>
      {(!isNone || isFiltered) && <ListHead {...head} />}
      {children({
        rows,
        empty: isFiltered ? <Empty icon="search" title={nothingFound} text={t('payNothingFoundText')} /> : none,
        foot: <ListPager {...{ older, newer }} shown={rows.length} />,
      })}
    </>
  );
}

/** A filter by one of several values. */
export const choice = <Value extends string>(
  name: string,
  label: string,
  values: readonly Value[],
  labelOf: (value: Value) => string = (value) => value,
): Filter => ({ kind: 'choice', name, label, options: values.map((value) => ({ value, label: labelOf(value) })) });

/** The filter by days of creation. */
export const days = (t: DashboardWords['t']): readonly Filter[] => [
  { kind: 'date', name: 'from', label: t('payFrom') },
  { kind: 'date', name: 'to', label: t('payTo') },
];
