// The marks of one token on the page Treasury: what the refund wallet has and needs, why nothing goes to the cold wallet now, and the
// last transfers there.

import { Badge, type Tone } from '@/components/ui/badge';
import { Card, Fact, Facts, Note } from '@/components/ui/card';
import { CopyText } from '@/components/ui/copy-field';
import { DateTime } from '@/components/ui/date-time';
import { Money } from '@/components/ui/money';
import { Table, type Column } from '@/components/ui/table';
import { networkName } from '@/components/operator/names';
import { shortText } from '@/lib/dashboard/operator/amounts';
import type { ColdRow, ColdTransferRow } from '@/lib/dashboard/operator/treasury/cold';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import { unixSeconds } from '@/lib/platform/clock';
import { TransactionHash } from './sweep-columns';

type Props = { readonly words: DashboardWords; readonly row: ColdRow };

const SHOWN_DECIMALS = 2;
const TONES: Readonly<Record<ColdTransferRow['status'], Tone>> = {
  pending: 'info',
  processing: 'info',
  completed: 'good',
  failed: 'bad',
  canceled: 'plain',
};

/** The complete amount is in the hover text. */
const Amount = ({ text, currency }: { readonly text: string; readonly currency: string }) => (
  <span title={text}>
    <Money amount={shortText(text, SHOWN_DECIMALS)} currency={currency} />
  </span>
);

export function ColdCard({ words, row }: Props) {
  const { t } = words;
  const { currency, network, balance, needed, booked, low, target, high, refundWallet, coldWallet, transfers } = row;
  const name = `${currency} · ${networkName(t, network)}`;
  return (
    <section aria-label={`${t('cold')}: ${name}`}>
      <Card title={`${t('cold')}: ${name}`} isFlush>
        <State {...{ words, row }} />
        <div className="border-t border-line px-4 py-4 sm:px-5">
          <Facts>
            <Fact name={t('coldBalance')}>
              {balance === null ? t('operatorWarning_unread') : <Amount text={balance} {...{ currency }} />}
            </Fact>
            <Fact name={t('coldNeeded')}>
              <Amount text={needed} {...{ currency }} />
            </Fact>
            <Fact name={t('coldMarks')}>
              <span className="inline-flex flex-wrap gap-x-2">
                {[low, target, high].map((text) => (
                  <Amount key={text} {...{ text, currency }} />
                ))}
              </span>
            </Fact>
            <Fact name={t('coldBooked')}>
              <Amount text={booked} {...{ currency }} />
            </Fact>
            {refundWallet !== null && (
              <Fact name={t('coldRefundWallet')}>
                <CopyText text={refundWallet} label={t('coldRefundWallet')} />
              </Fact>
            )}
            {coldWallet !== null && (
              <Fact name={t('coldWallet')}>
                <CopyText text={coldWallet} label={t('coldWallet')} />
              </Fact>
            )}
          </Facts>
        </div>
        {transfers.length > 0 && (
          <Table
            isBare
            cardsBelow="all"
            label={`${t('coldTransfers')}: ${name}`}
            columns={transferColumns(words, currency)}
            rows={transfers}
            rowKey={({ id }) => id}
            empty={null}
          />
        )}
      </Card>
    </section>
  );
}

/** What to send, and why nothing goes to the cold wallet. */
function State({ words: { t, format }, row }: Props) {
  const { missing, hold, currency, isMoving, transferHold } = row;
  const texts = [
    ...(missing === null ? [] : [t('coldLow', { amount: format.money(shortText(missing, SHOWN_DECIMALS), currency) })]),
    ...(transferHold === null ? [] : [t('coldWaits', { reason: t(`operatorHold_${transferHold}`) })]),
    ...(isMoving ? [t('coldMoving')] : []),
    ...(hold === null || isMoving || transferHold !== null ? [] : [t(`coldHold_${hold}`)]),
  ];
  if (texts.length === 0) return null;
  const isQuiet = missing === null && transferHold === null && (isMoving || hold === 'below_high');
  return (
    <div className="px-4 pb-4 sm:px-5">
      <Note tone={isQuiet ? 'info' : 'warn'} title={t('coldNow')}>
        {texts.join(' ')}
      </Note>
    </div>
  );
}

const transferColumns = ({ t }: DashboardWords, currency: string): readonly Column<ColdTransferRow>[] => [
  {
    key: 'requested',
    header: t('coldRequested'),
    onPhone: 'title',
    cell: ({ createdAt }) => <DateTime at={unixSeconds(createdAt)} />,
  },
  {
    key: 'status',
    header: t('coldStatus'),
    onPhone: 'side',
    cell: ({ status, note }) => (
      <span className="grid justify-items-start gap-1">
        <Badge tone={TONES[status]}>{t(`coldStatus_${status}`)}</Badge>
        {note !== null && <span className="text-[0.8125rem] text-muted">{note}</span>}
      </span>
    ),
  },
  {
    key: 'amount',
    header: t('coldAmount'),
    isNumeric: true,
    cell: ({ amount }) => <Amount text={amount} {...{ currency }} />,
  },
  {
    key: 'transaction',
    header: t('coldTransaction'),
    cell: ({ transaction }) => transaction && <TransactionHash {...transaction} />,
  },
];
