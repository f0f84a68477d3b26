// One sweep: its transaction, its cost, and what became of each address.

import { notFound } from 'next/navigation';
import { Card, Fact, Facts, PageHead } from '@/components/ui/card';
import { CopyText } from '@/components/ui/copy-field';
import { DateTime } from '@/components/ui/date-time';
import { Table } from '@/components/ui/table';
import { networkIn } from '@/components/operator/names';
import { numberOf } from '@/components/operator/query';
import { itemColumns } from '@/components/operator/treasury/item-columns';
import { Coins } from '@/components/operator/treasury/network-facts';
import { movedText, SweepBadge } from '@/components/operator/treasury/sweep-columns';
import { shortText } from '@/lib/dashboard/operator/amounts';
import { readSweep, type SweepView } from '@/lib/dashboard/lists/sweeps';
import { requirePage } from '@/lib/dashboard/page';
import { getDashboardWords, titled, type DashboardWords } from '@/lib/i18n/dashboard-words';
import { unixSeconds } from '@/lib/platform/clock';

export const generateMetadata = titled('treasurySweep');

export default async function SweepPage({ params }: { params: Promise<{ sweep_id: string }> }) {
  const { context } = await requirePage('health.read');
  const [words, given] = await Promise.all([getDashboardWords(), params]);
  const id = numberOf(given, 'sweep_id');
  const sweep = id === null ? null : await readSweep(context, id);
  if (!sweep) return notFound();
  const { t, format } = words;
  const { amount, currency } = sweep;
  const title =
    amount !== null && currency !== null
      ? format.money(shortText(amount, 2), currency)
      : t(`treasuryKind_${sweep.kind}`);
  return (
    <>
      <PageHead
        title={title}
        badge={<SweepBadge t={t} status={sweep.status} />}
        back={{ href: `/operator/treasury/sweeps?environment=${sweep.environment}`, label: t('treasurySweeps') }}
      />
      <div className="grid gap-5">
        <Card title={t('payFacts')}>
          <SweepFacts {...{ words, sweep }} />
        </Card>
        {sweep.items.length > 0 && (
          <Card title={t('treasuryAddressesTitle')} isFlush>
            <Table
              isBare
              label={t('treasuryAddressesTitle')}
              columns={itemColumns(words, sweep)}
              rows={sweep.items}
              rowKey={({ address }) => address}
              empty={null}
            />
          </Card>
        )}
      </div>
    </>
  );
}

function SweepFacts({ words, sweep }: { words: DashboardWords; sweep: SweepView }) {
  const { t } = words;
  const { fee, coin, message, signedAt, endedAt, transactions } = sweep;
  return (
    <Facts>
      <Fact name={t('treasuryKind')}>{t(`treasuryKind_${sweep.kind}`)}</Fact>
      <Fact name={t('operatorNetwork')}>{networkIn(t, sweep)}</Fact>
      {sweep.amount !== null && <Fact name={t('treasuryMoved')}>{movedText(words, sweep)}</Fact>}
      {fee !== null && (
        <Fact name={t('treasuryFee')}>
          <Coins amount={fee} coin={coin} />
        </Fact>
      )}
      {message !== null && <Fact name={t('operatorReason')}>{message}</Fact>}
      {transactions.length > 0 && (
        <Fact name={t('operatorTransaction')}>
          {transactions.length > 1 && <p className="text-muted">{t('treasuryVariants')}</p>}
          {transactions.map(({ hash, url }) => (
            <span key={hash} className="flex flex-wrap items-center gap-x-2">
              <CopyText text={hash} label={t('operatorTransaction')} />
              {url !== null && (
                <a href={url} target="_blank" rel="noopener noreferrer" className="py-0.5 text-accent">
                  {t('payExplorer')}
                </a>
              )}
            </span>
          ))}
        </Fact>
      )}
      <Fact name={t('treasurySender')}>
        <CopyText text={sweep.sender} label={t('treasurySender')} />
      </Fact>
      {sweep.nonce !== null && <Fact name={t('treasuryNonce')}>{sweep.nonce}</Fact>}
      <Fact name={t('treasuryStarted')}>
        <DateTime at={unixSeconds(sweep.createdAt)} isExact />
      </Fact>
      {signedAt && transactions.length > 1 && (
        <Fact name={t('treasurySigned')}>
          <DateTime at={unixSeconds(signedAt)} isExact />
        </Fact>
      )}
      {endedAt && (
        <Fact name={t('treasuryEnded')}>
          <DateTime at={unixSeconds(endedAt)} isExact />
        </Fact>
      )}
    </Facts>
  );
}
