'use client';
// A store's numbers drawn: volume and payments by day, and how much came by which network and token.

import { useMemo } from 'react';
import { Card } from '@/components/ui/card';
import { Chart } from '@/components/ui/chart';
import { useWords } from '@/components/ui/words';
import { useNetworkName } from '../payments/status';

type Day = {
  readonly name: string;
  readonly volume: number;
  readonly text: string;
  readonly paid: number;
  readonly unpaid: number;
};
type Share = { readonly name: string; readonly value: number; readonly text: string; readonly paid: number };

export function Charts({
  days,
  networks,
  tokens,
}: {
  days: readonly Day[];
  networks: readonly Share[];
  tokens: readonly Share[];
}) {
  const { t } = useWords();
  const network = useNetworkName();
  const names = useMemo(() => days.map(({ name }) => name), [days]);
  const volume = useMemo(
    () => [{ label: t('ovwVolume'), values: days.map((day) => day.volume), texts: days.map(({ text }) => text) }],
    [days, t],
  );
  const outcomes = useMemo(
    () => [
      { label: t('ovwPaid'), values: days.map(({ paid }) => paid) },
      { label: t('ovwUnpaid'), values: days.map(({ unpaid }) => unpaid) },
    ],
    [days, t],
  );
  const byNetwork = useMemo(() => sharesOf(networks, network, t('ovwVolume')), [networks, network, t]);
  const byToken = useMemo(() => sharesOf(tokens, (name) => name, t('ovwVolume')), [tokens, t]);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-5 lg:grid-cols-2">
      <Card title={t('ovwVolumeByDay')}>
        <Chart label={t('ovwVolumeByDay')} names={names} series={volume} />
      </Card>
      <Card title={t('ovwOutcomes')}>
        <Chart label={t('ovwOutcomes')} kind="stacked" names={names} series={outcomes} />
      </Card>
      {networks.length > 0 && (
        <Card title={t('ovwNetworks')}>
          <Chart label={t('ovwNetworks')} kind="bar" {...byNetwork} />
        </Card>
      )}
      {tokens.length > 0 && (
        <Card title={t('ovwTokens')}>
          <Chart label={t('ovwTokens')} kind="bar" {...byToken} />
        </Card>
      )}
    </div>
  );
}

const sharesOf = (shares: readonly Share[], nameOf: (name: string) => string, label: string) => ({
  names: shares.map(({ name }) => nameOf(name)),
  series: [{ label, values: shares.map(({ value }) => value), texts: shares.map(({ text }) => text) }],
});
