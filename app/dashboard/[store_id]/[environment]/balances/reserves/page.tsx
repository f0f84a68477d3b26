// The signed proofs of reserves of a store: the newest one, the earlier ones, and how to check them.

import { ProofTable } from '@/components/dashboard/reserves/proof-table';
import { ButtonLink } from '@/components/ui/button';
import { Card, Empty, Note, PageHead } from '@/components/ui/card';
import { DateTime } from '@/components/ui/date-time';
import { Table } from '@/components/ui/table';
import { readProofs } from '@/lib/dashboard/statements/reserves';
import { requireStorePage, type StorePageProps } from '@/lib/dashboard/store-page';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';
import { unixSeconds } from '@/lib/platform/clock';

export const generateMetadata = titled('reserves');

export default async function StoreReservesPage({ params }: StorePageProps) {
  const { context, of, base, api } = await requireStorePage(params, 'balances.read');
  const words = await getDashboardWords();
  const { t, format } = words;
  const { newest, earlier } = await readProofs(context, of);
  const fileOf = (id: string): string => `/api/dashboard${api}/reserves/${id}`;
  return (
    <>
      <PageHead
        title={t('reserves')}
        text={t('reservesStoreText')}
        back={{ href: `${base}/balances`, label: t('navBalances') }}
      />
      <div className="grid grid-cols-[minmax(0,1fr)] gap-5">
        {context.config.DIRECT_SETTLEMENT && <Note tone="info">{t('dirReserves')}</Note>}
        {newest ? (
          <Card
            title={t('reservesNewest')}
            text={<DateTime at={unixSeconds(newest.proof.madeAt)} isExact />}
            actions={
              <ButtonLink href={fileOf(newest.proof.id)} icon="download" download>
                {t('reservesDownload')}
              </ButtonLink>
            }
            isFlush
          >
            <ProofTable words={words} rows={newest.rows} />
          </Card>
        ) : (
          <Card>
            <Empty icon="shield" title={t('reservesNoProof')} text={t('reservesNoProofText')} />
          </Card>
        )}
        <Card
          title={t('reservesCheck')}
          actions={
            <ButtonLink href="/docs/reserves" icon="external" size="small" kind="quiet">
              {t('reservesCheckHelp')}
            </ButtonLink>
          }
        >
          <p className="max-w-prose text-muted">{t('reservesCheckText')}</p>
        </Card>
        {earlier.length > 0 && (
          <Card title={t('reservesEarlier')} text={t('reservesEarlierText')} isFlush>
            <Table
              isBare
              label={t('reservesEarlier')}
              rows={earlier}
              rowKey={({ id }) => id}
              columns={[
                {
                  key: 'time',
                  header: t('reservesSignedAt'),
                  onPhone: 'title',
                  cell: ({ madeAt }) => <DateTime at={unixSeconds(madeAt)} isExact />,
                },
                {
                  key: 'file',
                  isNumeric: true,
                  header: t('reservesFile'),
                  onPhone: 'side',
                  cell: ({ id, madeAt }) => (
                    <ButtonLink href={fileOf(id)} icon="download" size="small" kind="quiet" download>
                      {t('reservesDownload')}
                      <span className="sr-only"> {format.second(unixSeconds(madeAt))}</span>
                    </ButtonLink>
                  ),
                },
              ]}
              empty={null}
            />
          </Card>
        )}
      </div>
    </>
  );
}
