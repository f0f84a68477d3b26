'use client';
// The downloads of a store's statements: the visitor chooses a month, or the days that the page shows, and gets one of
// three files, or the payments of the period. An ended month has its closing hash. A year is downloaded by payer.

import { useState } from 'react';
import { ButtonLink } from '@/components/ui/button';
import { CopyText } from '@/components/ui/copy-field';
import { Select } from '@/components/ui/select';
import { useWords } from '@/components/ui/words';

/** `query`: as in the address of a download. `hash` is null until a month is closed, and for other periods. */
export type StatementPeriod = {
  readonly query: string;
  readonly label: string;
  readonly hash: string | null;
  readonly isMonth: boolean;
};

const FORMATS = [
  ['csv', 'stmCsv'],
  ['json', 'stmJson'],
  ['journal', 'stmJournal'],
] as const;

const REPORT_FORMATS = [
  ['csv', 'stmCsv'],
  ['json', 'stmJson'],
] as const;

/** `path`: of the downloads, below /api/dashboard. */
export function StatementDownloads({ path, periods }: { path: string; periods: readonly StatementPeriod[] }) {
  const { t } = useWords();
  const [chosen, choose] = useState(periods[0]?.query ?? '');
  const period = periods.find(({ query }) => query === chosen) ?? periods[0];
  if (!period) return null;
  return (
    <div className="grid gap-4">
      <div className="flex flex-wrap items-end gap-3">
        <div className="min-w-48 max-sm:basis-full">
          <Select
            name="period"
            label={t('stmPeriod')}
            options={periods.map(({ query, label }) => ({ value: query, label }))}
            value={period.query}
            onChange={({ target }) => choose(target.value)}
          />
        </div>
        {FORMATS.map(([format, name]) => (
          <ButtonLink
            key={format}
            href={`/api/dashboard${path}/statements/${format}?${period.query}`}
            icon="download"
            download
          >
            {t(name)}
          </ButtonLink>
        ))}
      </div>
      {period.isMonth && <ClosingHash hash={period.hash} />}
      <div className="grid gap-2 border-t border-line pt-4">
        <p className="text-sm font-medium">{t('stmPayments')}</p>
        <p className="text-[0.8125rem] text-muted">{t('stmPaymentsText')}</p>
        <Reports path={path} report="payments" query={period.query} />
      </div>
      <Payers path={path} years={yearsOf(periods)} />
    </div>
  );
}

/** Of the offered months, the newest first. */
const yearsOf = (periods: readonly StatementPeriod[]): string[] => [
  ...new Set(periods.filter(({ isMonth }) => isMonth).map(({ query }) => query.slice('month='.length).slice(0, 4))),
];

function Payers({ path, years }: { path: string; years: readonly string[] }) {
  const { t } = useWords();
  const [chosen, choose] = useState(years[0] ?? '');
  return (
    <div className="grid gap-2 border-t border-line pt-4">
      <p className="text-sm font-medium">{t('stmPayers')}</p>
      <p className="text-[0.8125rem] text-muted">{t('stmPayersText')}</p>
      <div className="flex flex-wrap items-end gap-3">
        <div className="min-w-32 max-sm:basis-full">
          <Select
            name="year"
            label={t('stmYear')}
            options={years.map((year) => ({ value: year, label: year }))}
            value={chosen}
            onChange={({ target }) => choose(target.value)}
          />
        </div>
        <Reports path={path} report="payers" query={`year=${chosen}`} />
      </div>
    </div>
  );
}

function Reports({ path, report, query }: { path: string; report: 'payments' | 'payers'; query: string }) {
  const { t } = useWords();
  return (
    <div className="flex flex-wrap gap-3">
      {REPORT_FORMATS.map(([format, name]) => (
        <ButtonLink
          key={format}
          href={`/api/dashboard${path}/reports/${report}/${format}?${query}`}
          icon="download"
          download
        >
          <span className="sr-only">{`${t(report === 'payments' ? 'stmPayments' : 'stmPayers')}: `}</span>
          {t(name)}
        </ButtonLink>
      ))}
    </div>
  );
}

function ClosingHash({ hash }: { hash: string | null }) {
  const { t } = useWords();
  if (hash === null) return <p className="text-[0.8125rem] text-muted">{t('stmOpen')}</p>;
  return (
    <div className="grid gap-0.5 text-[0.8125rem]">
      <p className="text-muted">{t('stmHash')}</p>
      <CopyText text={hash} label={t('stmHash')} />
      <p className="text-muted">{t('stmHashText')}</p>
    </div>
  );
}
