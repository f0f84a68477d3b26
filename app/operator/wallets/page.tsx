// The refund wallets: balances, liabilities, low coins, and the discrepancies between ledger and chain.

import { Badge } from '@/components/ui/badge';
import { ButtonLink } from '@/components/ui/button';
import { Card, PageHead } from '@/components/ui/card';
import { CopyText } from '@/components/ui/copy-field';
import { DateTime } from '@/components/ui/date-time';
import { Icon } from '@/components/ui/icon';
import { Money } from '@/components/ui/money';
import { Table, type Column } from '@/components/ui/table';
import { discrepancyColumns } from '@/components/operator/discrepancy-columns';
import { networkIn, WALLET_TONES } from '@/components/operator/names';
import { unixSeconds } from '@/lib/platform/clock';
import { shortText } from '@/lib/dashboard/operator/amounts';
import { readWallets, type AssetRow, type NetworkWallet } from '@/lib/dashboard/operator/wallets';
import { requirePage } from '@/lib/dashboard/page';
import { getDashboardWords, titled, type DashboardWords } from '@/lib/i18n/dashboard-words';

export const generateMetadata = titled('navWallets');

export default async function WalletsPage() {
  const { context } = await requirePage('health.read');
  const [words, { wallets, differences }] = await Promise.all([getDashboardWords(), readWallets(context)]);
  const { t } = words;
  return (
    <>
      <PageHead
        title={t('navWallets')}
        text={t('operatorWalletsText')}
        actions={
          <ButtonLink href="/operator/treasury" icon="balances">
            {t('navTreasury')}
          </ButtonLink>
        }
      />
      <div className="grid gap-5">
        <Card id="differences" title={t('operatorDiscrepancies')} text={t('operatorDiscrepanciesText')} isFlush>
          <Table
            isBare
            label={t('operatorDiscrepancies')}
            columns={discrepancyColumns(words)}
            rows={differences}
            rowKey={({ id }) => id}
            empty={<NoDiscrepancies {...words} />}
          />
        </Card>
        {wallets.map((one) => (
          <WalletCard key={`${one.environment} ${one.network}`} {...{ words, one }} />
        ))}
      </div>
    </>
  );
}

/** One line, so that a good state does not push the wallets out of sight. */
const NoDiscrepancies = ({ t }: DashboardWords) => (
  <div className="flex gap-2.5 border-t border-line px-4 py-3 sm:px-5">
    <Icon name="check" size={18} className="mt-px flex-none text-good" />
    <p>
      <span className="font-semibold">{t('operatorNoDiscrepancies')}</span>{' '}
      <span className="text-muted">· {t('operatorNoDiscrepanciesText')}</span>
    </p>
  </div>
);

function WalletCard({ words, one }: { words: DashboardWords; one: NetworkWallet }) {
  const { t } = words;
  return (
    <Card
      title={networkIn(t, one)}
      text={
        one.address === null ? (
          t('operatorWalletUnread')
        ) : (
          <span className="grid gap-0.5">
            <CopyText text={one.address} label={t('operatorWalletAddress')} />
            {one.readAt && (
              <span className="text-[0.8125rem]">
                {t('operatorWalletRead')} <DateTime at={unixSeconds(one.readAt)} />
              </span>
            )}
            {one.former.map(({ address, asset, held }) => (
              <span key={`${address} ${asset}`} className="text-[0.8125rem]">
                {t('operatorWalletFormer', { address, amount: `${held} ${asset}` })}
              </span>
            ))}
          </span>
        )
      }
      isFlush
    >
      <Table
        isBare
        label={networkIn(t, one)}
        columns={assetColumns(words)}
        rows={one.assets}
        rowKey={({ asset }) => asset}
        empty={null}
      />
    </Card>
  );
}

/** Wei and similar units are in the hover text only. */
const SHOWN_DECIMALS = 6;

const amount = (text: string | null, asset: string) =>
  text === null ? null : (
    <span title={text}>
      <Money amount={shortText(text, SHOWN_DECIMALS)} currency={asset} />
    </span>
  );

const assetColumns = ({ t }: DashboardWords): readonly Column<AssetRow>[] => {
  return [
    {
      key: 'asset',
      header: t('operatorAsset'),
      onPhone: 'title',
      cell: ({ asset, isFeeCoin }) => (
        <span>
          <span className="font-semibold">{asset}</span>
          {isFeeCoin && <span className="ms-1.5 text-xs whitespace-nowrap text-muted">{t('operatorFeeCoin')}</span>}
        </span>
      ),
    },
    {
      key: 'warning',
      header: t('operatorState'),
      onPhone: 'side',
      cell: ({ warning }) =>
        warning ? (
          <Badge tone={WALLET_TONES[warning]}>{t(`operatorWarning_${warning}`)}</Badge>
        ) : (
          <Badge tone="good">{t('operatorWarning_none')}</Badge>
        ),
    },
    { key: 'held', header: t('operatorHeld'), isNumeric: true, cell: ({ held, asset }) => amount(held, asset) },
    {
      key: 'reserved',
      header: t('operatorReserved'),
      isNumeric: true,
      cell: ({ reserved, asset }) => amount(reserved, asset),
    },
    {
      key: 'received',
      header: t('operatorReceived'),
      isNumeric: true,
      isExtra: true,
      cell: ({ received, asset }) => amount(received, asset),
    },
    {
      key: 'treasury',
      header: t('operatorTreasury'),
      isNumeric: true,
      isExtra: true,
      cell: ({ treasury, asset }) => amount(treasury, asset),
    },
    {
      key: 'cold',
      header: t('coldBooked'),
      isNumeric: true,
      isExtra: true,
      cell: ({ cold, asset }) => amount(cold, asset),
    },
    {
      key: 'owed',
      header: t('operatorOwed'),
      isNumeric: true,
      isExtra: true,
      cell: ({ owed, asset }) => amount(owed, asset),
    },
    {
      key: 'recovered',
      header: t('operatorRecovered'),
      isNumeric: true,
      isExtra: true,
      cell: ({ recovered, asset }) => amount(recovered, asset),
    },
  ];
};
