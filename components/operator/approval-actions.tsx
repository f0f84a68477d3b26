// Two operators for a large refund: the first asks, another approves, either turns down. Each sees where the money goes and how
// much it is before they press anything.

import { Address } from '@/components/ui/address';
import { Fact, Facts } from '@/components/ui/card';
import type { HeldApproval, HeldRefund } from '@/lib/dashboard/operator-refunds';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import { AskButton } from './ask-button';
import { networkIn } from './names';

const LONGEST_NOTE = 500;

type Props = { readonly words: DashboardWords; readonly row: HeldRefund; readonly viewerId: string };

export function ApprovalActions({ words, row, viewerId }: Props) {
  const { approval } = row;
  if (!approval) return null;
  const { t } = words;
  const common = {
    isSmall: true,
    path: `/operator/refunds/${row.id}/approval`,
    field: { name: 'note', label: t('operatorNote'), hint: t('operatorNoteHint'), longest: LONGEST_NOTE },
    children: <Payout {...{ words, row, approval }} />,
  };
  const bodyOf = (move: string) => ({ move, digest: approval.digest });
  if (!approval.askedBy) {
    return (
      <span className="grid justify-items-end gap-1.5 [&_button]:whitespace-nowrap">
        <AskButton
          {...common}
          triggerKind="primary"
          trigger={t('operatorApprovalAsk')}
          title={t('operatorApprovalAskTitle')}
          text={t('operatorApprovalAskText')}
          submit={t('operatorApprovalAsk')}
          done={t('operatorApprovalAsked')}
          body={bodyOf('ask')}
        />
        {approval.declined && (
          <span className="max-w-48 text-xs text-muted">
            {t('operatorApprovalDeclinedBy', { name: approval.declined.name })}
          </span>
        )}
      </span>
    );
  }
  const isMine = approval.askedBy.userId === viewerId;
  return (
    <span className="grid justify-items-end gap-1.5 [&_button]:whitespace-nowrap">
      <span className="inline-flex flex-wrap justify-end gap-1.5">
        {!isMine && (
          <AskButton
            {...common}
            triggerKind="primary"
            trigger={t('operatorApprovalApprove')}
            title={t('operatorApprovalApproveTitle')}
            text={t('operatorApprovalApproveText')}
            submit={t('operatorApprovalApprove')}
            done={t('operatorApprovalApproved')}
            body={bodyOf('approve')}
          />
        )}
        <AskButton
          {...common}
          trigger={isMine ? t('operatorApprovalWithdraw') : t('operatorApprovalDecline')}
          title={isMine ? t('operatorApprovalWithdrawTitle') : t('operatorApprovalDeclineTitle')}
          submit={isMine ? t('operatorApprovalWithdraw') : t('operatorApprovalDecline')}
          done={t('operatorDecidedDone')}
          body={bodyOf('decline')}
        />
      </span>
      <span className="max-w-48 text-xs text-muted">
        {isMine ? t('operatorApprovalYours') : t('operatorApprovalAskedBy', { name: approval.askedBy.name })}
      </span>
    </span>
  );
}

/** Exactly what is agreed to. */
function Payout({
  words: { t, format },
  row,
  approval,
}: {
  words: DashboardWords;
  row: HeldRefund;
  approval: HeldApproval;
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
        <Fact name={t('operatorGoesTo')}>
          <span className="grid gap-0.5">
            <Address text={approval.to} />
            <span className={approval.kind === 'payer' ? 'text-muted' : 'font-semibold text-warn'}>
              {t(approval.kind === 'payer' ? 'operatorToPayer' : 'operatorToClaim')}
            </span>
          </span>
        </Fact>
        <Fact name={t('operatorStore')}>{row.storeName}</Fact>
        {approval.askedBy && <Fact name={t('operatorApprovalFirst')}>{approval.askedBy.name}</Fact>}
        {approval.askedBy?.note && <Fact name={t('operatorNote')}>{approval.askedBy.note}</Fact>}
      </Facts>
    </div>
  );
}
