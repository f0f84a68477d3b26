// Force-fails a refund, offered once no transaction of it can pay it any more. One operator requests it,
// another one agrees, either declines. Each sees the transactions concerned.

import { Fact } from '@/components/ui/card';
import type { HeldEnd } from '@/lib/dashboard/operator/force-fails';
import type { HeldRefund } from '@/lib/dashboard/operator/refunds';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import { AgreedRefund, TwoOperators } from './two-operators';

type Props = { readonly words: DashboardWords; readonly row: HeldRefund; readonly viewerId: string };

export function ForceFailRefund({ words, row, viewerId }: Props) {
  const { end } = row;
  if (!end) return null;
  const { t } = words;
  const text = t(row.hold === 'screened' ? 'operatorForceFailScreenedText' : 'operatorForceFailText');
  return (
    <TwoOperators
      {...{ words, viewerId }}
      agreement={end}
      path={`/operator/refunds/${row.id}/end`}
      kind="danger"
      request={{
        trigger: t('operatorForceFail'),
        title: t('operatorForceFailRequestTitle'),
        text,
        submit: t('operatorForceFailRequest'),
      }}
      approve={{
        trigger: t('operatorForceFail'),
        title: t('operatorForceFailTitle'),
        text,
        submit: t('operatorForceFail'),
        submitKind: 'danger',
        done: t('operatorForceFailDone'),
      }}
      declineTitle={t('operatorForceFailDeclineTitle')}
      requestedByText={(name) => t('operatorForceFailRequestedBy', { name })}
      note={{ label: t('operatorRecheckNote'), hint: t('operatorRecheckNoteHint'), isRequired: true }}
    >
      <About {...{ words, row, end }} />
    </TwoOperators>
  );
}

function About({ words, row, end }: Omit<Props, 'viewerId'> & { readonly end: HeldEnd }) {
  const { t } = words;
  const facts = (
    <>
      <Fact name={t('operatorStore')}>{row.storeName}</Fact>
      {end.transactions.length > 0 && (
        <Fact name={t('operatorForceFailTransactions')}>
          <span className="grid gap-0.5">
            {end.transactions.map((hash) => (
              <code key={hash} className="text-[0.8125rem] break-all">
                {hash}
              </code>
            ))}
          </span>
        </Fact>
      )}
    </>
  );
  return <AgreedRefund {...{ words, row, facts }} requestedBy={end.requestedBy} noteLabel={t('operatorRecheckNote')} />;
}
