// Two operators for a large refund or payout: the first requests it, another approves, either declines. Each sees the destination
// and the amount before they press anything.

import { Address } from '@/components/ui/address';
import { Fact } from '@/components/ui/card';
import type { HeldApproval, HeldRefund } from '@/lib/dashboard/operator/refunds';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import { AgreedRefund, TwoOperators } from './two-operators';

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
        title: t(row.isPayout ? 'operatorApprovalApprovePayout' : 'operatorApprovalApproveTitle'),
        text: t('operatorApprovalApproveText'),
        submit: t('operatorApprovalApprove'),
        done: t('operatorApprovalApproved'),
      }}
      declineTitle={t(row.isPayout ? 'operatorApprovalDeclinePayout' : 'operatorApprovalDeclineTitle')}
      requestedByText={(name) => t('operatorApprovalRequestedBy', { name })}
      note={{ label: t('operatorNote'), hint: t('operatorNoteHint'), isRequired: false }}
      isSigned={approval.needsPasskeys}
    >
      <Payout {...{ words, row, approval }} />
    </TwoOperators>
  );
}

const ADDRESS_TEXTS = {
  payer: 'operatorPayerAddress',
  claim: 'operatorClaimAddress',
  payout: 'operatorPayoutAddress',
} as const;

function Payout({ words, row, approval }: Omit<Props, 'viewerId'> & { readonly approval: HeldApproval }) {
  const { t } = words;
  const facts = (
    <>
      <Fact name={t('operatorGoesTo')}>
        <span className="grid gap-0.5">
          <Address text={approval.to} />
          <span className={approval.kind === 'claim' ? 'font-semibold text-warn' : 'text-muted'}>
            {t(ADDRESS_TEXTS[approval.kind])}
          </span>
        </span>
      </Fact>
      <Fact name={t('operatorStore')}>{row.storeName}</Fact>
    </>
  );
  return (
    <AgreedRefund {...{ words, row, facts }} requestedBy={approval.requestedBy} noteLabel={t('operatorNote')}>
      {approval.needsPasskeys && <p className="mt-3 text-[0.8125rem] text-muted">{t('operatorApprovalPasskey')}</p>}
      {approval.trouble !== null && (
        <p className="mt-3 text-[0.8125rem] font-semibold text-warn">
          {t('operatorApprovalTrouble', { why: approval.trouble })}
        </p>
      )}
    </AgreedRefund>
  );
}
