// Entries of the audit log as a table. Each action has its technical name, which filters and exports use too.

import { Empty } from '@/components/ui/card';
import { DateTime } from '@/components/ui/date-time';
import { Icon } from '@/components/ui/icon';
import { Table, type Column } from '@/components/ui/table';
import { unixSeconds } from '@/lib/platform/clock';
import type { ShownEntry } from '@/lib/dashboard/operator/audit';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import type { ReactNode } from 'react';

type Props = {
  readonly words: DashboardWords;
  readonly entries: readonly ShownEntry[];
  readonly foot?: ReactNode;
  readonly isBare?: boolean;
};

export function AuditTable({ words, entries, foot, isBare = false }: Props) {
  const { t } = words;
  return (
    <Table
      isBare={isBare}
      label={t('navAudit')}
      columns={columnsOf(words)}
      rows={entries}
      rowKey={({ number }) => number.toString()}
      empty={<Empty icon="audit" title={t('operatorAuditEmpty')} text={t('operatorAuditEmptyText')} />}
      foot={foot}
    />
  );
}

const columnsOf = ({ t }: DashboardWords): readonly Column<ShownEntry>[] => [
  {
    key: 'action',
    header: t('operatorAction'),
    onPhone: 'title',
    cell: ({ action }) => <code className="text-[0.8125rem] font-semibold md:whitespace-nowrap">{action}</code>,
  },
  {
    key: 'who',
    header: t('operatorWho'),
    onPhone: 'under',
    cell: ({ actor, actorName, address }) => (
      <span className="flex flex-wrap items-baseline gap-x-2 md:grid">
        <span className="wrap-anywhere">{actorName ?? (actor === 'system' ? t('operatorSystem') : actor)}</span>
        {address !== '' && <span className="text-xs wrap-anywhere text-muted">{address}</span>}
      </span>
    ),
  },
  {
    key: 'target',
    header: t('operatorTarget'),
    onPhone: 'wide',
    cell: (entry) => <Target {...entry} />,
  },
  {
    key: 'when',
    header: t('operatorWhen'),
    isNumeric: true,
    onPhone: 'side',
    cell: ({ at }) => <DateTime at={unixSeconds(at)} inList />,
  },
];

/** The target; its fold has the details of the action. */
function Target({ target, details }: Pick<ShownEntry, 'target' | 'details'>) {
  const name = (
    <code title={target} className="block min-w-0 truncate text-[0.8125rem] text-muted md:max-w-72">
      {target === '' ? Object.keys(details).join(', ') : target}
    </code>
  );
  const entries = Object.entries(details);
  if (entries.length === 0) return name;
  return (
    <details className="group max-w-md text-[0.8125rem]">
      <summary className="flex w-fit max-w-full cursor-pointer list-none items-center gap-1.5 py-1 [&::-webkit-details-marker]:hidden">
        {name}
        <Icon name="down" size={14} className="flex-none text-muted group-open:rotate-180" />
      </summary>
      <dl className="mt-1 grid gap-1">
        {entries.map(([field, value]) => (
          <div key={field} className="flex gap-2">
            <dt className="flex-none text-muted">{field}</dt>
            <dd className="min-w-0 wrap-anywhere">{typeof value === 'string' ? value : JSON.stringify(value)}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
