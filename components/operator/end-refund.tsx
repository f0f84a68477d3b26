// The end that only people may decide, offered where every transaction of a refund was judged unable to pay it: one operator asks
// to end it as failed, another one agrees, either turns it down. Each reads which transactions it is about.

import { Fact, Facts } from '@/components/ui/card';
import type { HeldEnd } from '@/lib/dashboard/operator-ends';
import type { HeldRefund } from '@/lib/dashboard/operator-refunds';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import { AskButton } from './ask-button';
import { networkIn } from './names';

const LONGEST_NOTE = 500;

type Props = { readonly words: DashboardWords; readonly row: HeldRefund; readonly viewerId: string };

export function EndRefund({ words, row, viewerId }: Props) {
  const { end } = row;
  if (!end) return null;
  const { t } = words;
  const field = {
    name: 'note',
    label: t('operatorAgainNote'),
    hint: t('operatorAgainNoteHint'),
    longest: LONGEST_NOTE,
  };
  const common = {
    isSmall: true,
    path: `/operator/refunds/${row.id}/end`,
    children: <About {...{ words, row, end }} />,
  };
  const bodyOf = (move: string) => ({ move, digest: end.digest });
  if (!end.askedBy) {
    return (
      <span className="grid justify-items-end gap-1.5 [&_button]:whitespace-nowrap">
        <AskButton
          {...common}
          triggerKind="danger"
          trigger={t('operatorEnd')}
          title={t('operatorEndAskTitle')}
          text={t('operatorEndText')}
          submit={t('operatorEndAsk')}
          done={t('operatorApprovalAsked')}
          body={bodyOf('ask')}
          field={{ ...field, isRequired: true }}
        />
        {end.declined && (
          <span className="max-w-48 text-xs text-muted">
            {t('operatorApprovalDeclinedBy', { name: end.declined.name })}
          </span>
        )}
      </span>
    );
  }
  const isMine = end.askedBy.userId === viewerId;
  return (
    <span className="grid justify-items-end gap-1.5 [&_button]:whitespace-nowrap">
      <span className="inline-flex flex-wrap justify-end gap-1.5">
        {!isMine && (
          <AskButton
            {...common}
            triggerKind="danger"
            trigger={t('operatorEnd')}
            title={t('operatorEndTitle')}
            text={t('operatorEndText')}
            submit={t('operatorEnd')}
            submitKind="danger"
            done={t('operatorEndDone')}
            body={bodyOf('approve')}
            field={{ ...field, isRequired: true }}
          />
        )}
        <AskButton
          {...common}
          trigger={isMine ? t('operatorApprovalWithdraw') : t('operatorApprovalDecline')}
          title={isMine ? t('operatorApprovalWithdrawTitle') : t('operatorEndDeclineTitle')}
          submit={isMine ? t('operatorApprovalWithdraw') : t('operatorApprovalDecline')}
          done={t('operatorDecidedDone')}
          body={bodyOf('decline')}
          field={field}
        />
      </span>
      <span className="max-w-48 text-xs text-muted">
        {isMine ? t('operatorApprovalYours') : t('operatorEndAskedBy', { name: end.askedBy.name })}
      </span>
    </span>
  );
}

/** Exactly what is agreed to. */
function About({
  words: { t, format },
  row,
  end,
}: {
  readonly words: DashboardWords;
  readonly row: HeldRefund;
  readonly end: HeldEnd;
}) {
  return (
    <div className="rounded-lg border border-line bg-ground p-3.5">
      <Facts>
        <Fact name={t('operatorAmount')}>
          <strong>
            {format.amount(row.amount)} {row.currency}
          </strong>
        </Fact>
        <Fact name={t('operatorNetwork')}>{networkIn(t, row)}</Fact>
        <Fact name={t('operatorStore')}>{row.storeName}</Fact>
        <Fact name={t('operatorEndTransactions')}>
          <span className="grid gap-0.5">
            {end.transactions.map((hash) => (
              <code key={hash} className="text-[0.8125rem] break-all">
                {hash}
              </code>
            ))}
          </span>
        </Fact>
        {end.askedBy && <Fact name={t('operatorApprovalFirst')}>{end.askedBy.name}</Fact>}
        {end.askedBy?.note && <Fact name={t('operatorAgainNote')}>{end.askedBy.note}</Fact>}
      </Facts>
    </div>
  );
}
