'use client';
// A store's charts: volume by day beside the period before, payments by day, and the shares of networks and tokens.

import { useMemo } from 'react';
import { Card } from '@/components/ui/card';
import { Chart } from '@/components/ui/chart';
import { useWords } from '@/components/ui/words';
import { useNetworkName } from '@/components/dashboard/payments/status';

type Volume = { readonly volume: number; readonly text: string };
type Day = Volume & { readonly name: string; readonly paid: number; readonly unpaid: number };
/** `share` of the volume, from 0 to 1. */
type Share = { readonly name: string; readonly share: number; readonly text: string; readonly percent: string };

type Props = {
  readonly days: readonly Day[];
  /** The same days of the period before; null when nothing was paid then. */
  readonly before: readonly Volume[] | null;
  readonly networks: readonly Share[];
  readonly tokens: readonly Share[];
};

export function Charts({ days, before, networks, tokens }: Props) {
  const { t } = useWords();
  const network = useNetworkName();
  const names = useMemo(() => days.map(({ name }) => name), [days]);
  const volume = useMemo(
    () => [
      seriesOf(t('ovwVolume'), days),
      ...(before ? [{ ...seriesOf(t('ovwPeriodBefore'), before), meaning: 'before' as const }] : []),
    ],
    [days, before, t],
  );
  const outcomes = useMemo(
    () => [
      { label: t('ovwPaid'), values: days.map(({ paid }) => paid), meaning: 'good' as const },
      { label: t('ovwUnpaid'), values: days.map(({ unpaid }) => unpaid), meaning: 'quiet' as const },
    ],
    [days, t],
  );
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-5 lg:grid-cols-2">
      <div className="lg:col-span-2">
        <Card title={t('ovwVolumeByDay')}>
          <Chart label={t('ovwVolumeByDay')} names={names} series={volume} />
        </Card>
      </div>
      <Card title={t('ovwOutcomes')}>
        <Chart label={t('ovwOutcomes')} kind="stacked" names={names} series={outcomes} />
      </Card>
      {networks.length > 0 && (
        <Card title={t('ovwNetworks')}>
          <Shares shares={networks} nameOf={network} />
          <h3 className="mt-6 mb-3 text-[0.9375rem] font-semibold">{t('ovwTokens')}</h3>
          <Shares shares={tokens} nameOf={(name) => name} />
        </Card>
      )}
    </div>
  );
}

const seriesOf = (label: string, volumes: readonly Volume[]) => ({
  label,
  values: volumes.map(({ volume }) => volume),
  texts: volumes.map(({ text }) => text),
});

function Shares({ shares, nameOf }: { shares: readonly Share[]; nameOf: (name: string) => string }) {
  return (
    <ul className="m-0 grid list-none gap-3 p-0">
      {shares.map(({ name, share, text, percent }) => (
        <li key={name} className="grid gap-1">
          <span className="flex items-baseline justify-between gap-3">
            <span>{nameOf(name)}</span>
            <span className="text-[0.8125rem] text-muted tabular-nums">
              {text} · {percent}
            </span>
          </span>
          {/* Drawn by attributes, since the page's policy allows no inline styles. */}
          <svg className="block h-2 w-full rounded-full bg-hover text-accent rtl:-scale-x-100" aria-hidden="true">
            <rect width={`${share * 100}%`} height="8" rx="4" fill="currentColor" />
          </svg>
        </li>
      ))}
    </ul>
  );
}
