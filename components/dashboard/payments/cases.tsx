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
import type { CaseView } from '@/lib/dashboard/payment/payment';
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
export function Cases({ cases, api, canDecide }: { cases: readonly CaseView[]; api: string; canDecide: boolean }) {
  const { t } = useWords();
  const network = useNetworkName();
  const [asked, setAsked] = useState<{ readonly of: CaseView; readonly action: ExceptionAction } | null>(null);
  return (
    <ul className="m-0 grid list-none gap-4 p-0">
      {cases.map((one) => (
        <li key={one.id} className="grid gap-2 border-b border-line pb-4 last:border-b-0 last:pb-0">
          <div className="flex flex-wrap items-center gap-2">
            <span className="font-semibold">
              <Money amount={one.amount} currency={one.currency} />
            </span>
            <Badge tone="warn">{t(`caseKind_${one.kind}`)}</Badge>
            <Badge tone={one.state === 'open' ? 'info' : 'plain'}>{t(`caseState_${one.state}`)}</Badge>
          </div>
          <p className="max-w-prose text-muted">{t(`caseWhy_${one.kind}`, { network: network(one.network) })}</p>
          <Hash hash={one.transaction_hash} explorerUrl={one.explorerUrl} />
          {one.note && <p className="text-muted">“{one.note}”</p>}
          {canDecide && one.actions.length > 0 && (
            <div className="flex flex-wrap gap-2">
              {one.actions.map((action) => (
                <Button key={action} size="small" kind={KINDS[action]} onClick={() => setAsked({ of: one, action })}>
                  {t(`caseDo_${action}`)}
                </Button>
              ))}
            </div>
          )}
        </li>
      ))}
      <Dialog
        isOpen={asked !== null}
        onClose={() => setAsked(null)}
        title={asked ? t(`caseDo_${asked.action}`) : ''}
        text={asked ? t(`caseMeans_${asked.action}`) : ''}
      >
        {asked && (
          <ActionForm
            send={(call, form) =>
              call.post(`${api}/cases/${asked.of.id}/decide`, {
                action: asked.action,
                note: formText(form, 'note') || undefined,
              })
            }
            submit={t(`caseDo_${asked.action}`)}
            done={t('caseDone')}
            onDone={() => setAsked(null)}
            isWide
          >
            <p>
              <Money amount={asked.of.amount} currency={asked.of.currency} />
            </p>
            <TextArea name="note" label={t('caseNote')} isOptional maxLength={500} rows={2} />
          </ActionForm>
        )}
      </Dialog>
    </ul>
  );
}
