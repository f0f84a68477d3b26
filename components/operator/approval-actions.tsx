// Two operators for a large refund: the first requests it, another approves, either declines. Each sees the destination
// and the amount before they press anything.

import { Address } from '@/components/ui/address';
import { Fact, Facts } from '@/components/ui/card';
import type { HeldApproval, HeldRefund } from '@/lib/dashboard/operator/refunds';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import { networkIn } from './names';
import { TwoOperators } from './two-operators';

type Props = { readonly words: DashboardWords; readonly row: HeldRefund; readonly viewerId: string };

export function ApprovalActions({ words, row, viewerId }: Props) {
  const { approval } = row;
  if (!approval) return null;
  const { t } = words;
  return (
    <TwoOperators
      {...{ words, viewerId }}
      agreement={approval}
      path={`/operator/refunds/${row.id}/approval`}
      kind="primary"
      request={{
        trigger: t('operatorApprovalRequest'),
        title: t('operatorApprovalRequestTitle'),
        text: t('operatorApprovalRequestText'),
        submit: t('operatorApprovalRequest'),
      }}
      approve={{
        trigger: t('operatorApprovalApprove'),
        title: t('operatorApprovalApproveTitle'),
        text: t('operatorApprovalApproveText'),
        submit: t('operatorApprovalApprove'),
        done: t('operatorApprovalApproved'),
      }}
      declineTitle={t('operatorApprovalDeclineTitle')}
      requestedByText={(name) => t('operatorApprovalRequestedBy', { name })}
      note={{ label: t('operatorNote'), hint: t('operatorNoteHint'), isRequired: false }}
      isSigned={approval.needsPasskeys}
    >
      <Payout {...{ words, row, approval }} />
    </TwoOperators>
  );
}

/** Exactly what the operators approve. */
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
          <strong>{format.money(row.amount, row.currency)}</strong>
        </Fact>
        <Fact name={t('operatorNetwork')}>{networkIn(t, row)}</Fact>
        <Fact name={t('operatorGoesTo')}>
          <span className="grid gap-0.5">
            <Address text={approval.to} />
            <span className={approval.kind === 'payer' ? 'text-muted' : 'font-semibold text-warn'}>
              {t(approval.kind === 'payer' ? 'operatorPayerAddress' : 'operatorClaimAddress')}
            </span>
          </span>
        </Fact>
        <Fact name={t('operatorStore')}>{row.storeName}</Fact>
        {approval.requestedBy && <Fact name={t('operatorApprovalFirst')}>{approval.requestedBy.name}</Fact>}
        {approval.requestedBy?.note && <Fact name={t('operatorNote')}>{approval.requestedBy.note}</Fact>}
      </Facts>
      {approval.needsPasskeys && <p className="mt-3 text-[0.8125rem] text-muted">{t('operatorApprovalPasskey')}</p>}
      {approval.trouble !== null && (
        <p className="mt-3 text-[0.8125rem] font-semibold text-warn">
          {t('operatorApprovalTrouble', { why: approval.trouble })}
        </p>
      )}
    </div>
  );
}
