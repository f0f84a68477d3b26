'use client';
// Payments that did not count, and the possible decisions about each, explained before the merchant decides.

import { useState } from 'react';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { TextArea } from '@/components/ui/field';
import { formText } from '@/components/ui/form-text';
import { Money } from '@/components/ui/money';
import { useWords } from '@/components/ui/words';
import type { ExceptionAction } from '@/lib/payments/exceptions/states';
import type { ExceptionView } from '@/lib/dashboard/payment/payment';
import { ActionForm } from '@/components/dashboard/action-form';
import { Hash } from './hash';
import { useNetworkName } from './status';

/** The most common decision is prominent; one that decides nothing is not. */
const KINDS: Readonly<Record<ExceptionAction, 'primary' | 'secondary' | 'quiet'>> = {
  accept: 'primary',
  keep: 'secondary',
  refund: 'secondary',
  leave: 'quiet',
};

/** `canDecide`: whether the viewer may decide. */
export function PaymentExceptions({
  exceptions,
  api,
  canDecide,
}: {
  exceptions: readonly ExceptionView[];
  api: string;
  canDecide: boolean;
}) {
  const { t } = useWords();
  const network = useNetworkName();
  const [chosen, setChosen] = useState<{ readonly of: ExceptionView; readonly action: ExceptionAction } | null>(null);
  return (
    <ul className="m-0 grid list-none gap-4 p-0">
      {exceptions.map((one) => (
        <li key={one.id} className="grid gap-2 border-b border-line pb-4 last:border-b-0 last:pb-0">
          <div className="flex flex-wrap items-center gap-2">
            <span className="font-semibold">
              <Money amount={one.amount} currency={one.currency} />
            </span>
            <Badge tone="warn">{t(`exceptionKind_${one.kind}`)}</Badge>
            <Badge tone={one.state === 'open' ? 'info' : 'plain'}>{t(`exceptionState_${one.state}`)}</Badge>
          </div>
          <p className="max-w-prose text-muted">{t(`exceptionWhy_${one.kind}`, { network: network(one.network) })}</p>
          <Hash hash={one.transaction_hash} explorerUrl={one.explorerUrl} />
          {one.note && <p className="text-muted">“{one.note}”</p>}
          {canDecide && one.actions.length > 0 && (
            <div className="flex flex-wrap gap-2">
              {one.actions.map((action) => (
                <Button key={action} size="small" kind={KINDS[action]} onClick={() => setChosen({ of: one, action })}>
                  {t(`exceptionDo_${action}`)}
                </Button>
              ))}
            </div>
          )}
        </li>
      ))}
      <Dialog
        isOpen={chosen !== null}
        onClose={() => setChosen(null)}
        title={chosen ? t(`exceptionDo_${chosen.action}`) : ''}
        text={chosen ? t(`exceptionMeans_${chosen.action}`) : ''}
      >
        {chosen && (
          <ActionForm
            send={(call, form) =>
              call.post(`${api}/cases/${chosen.of.id}/decide`, {
                action: chosen.action,
                note: formText(form, 'note') || undefined,
              })
            }
            submit={t(`exceptionDo_${chosen.action}`)}
            done={t('exceptionDone')}
            onDone={() => setChosen(null)}
            isWide
          >
            <p>
              <Money amount={chosen.of.amount} currency={chosen.of.currency} />
            </p>
            <TextArea name="note" label={t('exceptionNote')} isOptional maxLength={500} rows={2} />
          </ActionForm>
        )}
      </Dialog>
    </ul>
  );
}
