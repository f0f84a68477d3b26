// What can be decided about a payment that did not count, each asked first with what it means. Accepting and sending back are
// final.

import { networkIn } from './names';
import type { CaseAction } from '@/lib/cases/states';
import type { PaymentCase } from '@/lib/cases/read';
import { shortAmount } from '@/lib/dashboard/operator-amounts';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import { AskButton } from './ask-button';

export function CaseActions({ words: { t, format }, row }: { words: DashboardWords; row: PaymentCase }) {
  const amount = `${format.amount(shortAmount(row.amount, row.decimals))} ${row.currency}`;
  const button = (action: CaseAction) => (
    <AskButton
      key={action}
      isSmall
      triggerKind={action === 'leave' ? 'quiet' : 'secondary'}
      trigger={t(`operatorCaseDo_${action}`)}
      title={t(`operatorCaseAsk_${action}`, { amount })}
      text={t(`operatorCaseText_${action}`, { payer: row.payer, network: networkIn(t, row) })}
      submit={t(`operatorCaseDo_${action}`)}
      done={t('operatorDecidedDone')}
      path={`/operator/cases/${row.id}/decide`}
      body={{ action }}
      field={{ name: 'note', label: t('operatorNote'), hint: t('operatorNoteHint') }}
    />
  );
  if (row.actions.length === 0) {
    return <span className="text-muted">{row.note ?? ''}</span>;
  }
  return (
    <span className="inline-flex justify-end gap-1.5 whitespace-nowrap max-md:flex-wrap">
      {row.actions.map(button)}
    </span>
  );
}
