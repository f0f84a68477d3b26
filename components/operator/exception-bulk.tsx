'use client';
// One decision about several payments. Each is decided separately, so a failure does not affect the others. The
// payments that failed are listed with the reason.

import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { ActionForm } from '@/components/dashboard/action-form';
import type { Answer, Fault } from '@/components/dashboard/api';
import { useFaultText } from '@/components/dashboard/fault-text';
import type { Api } from '@/components/dashboard/step-up';
import { Button } from '@/components/ui/button';
import { Note } from '@/components/ui/card';
import { Dialog, DialogActions } from '@/components/ui/dialog';
import { TextArea } from '@/components/ui/field';
import { formText } from '@/components/ui/form-text';
import { useToast } from '@/components/ui/toast';
import { useWords } from '@/components/ui/words';
import type { ExceptionAction } from '@/lib/payments/exceptions/states';

type Named = { readonly id: string; readonly name: string };
type Refused = Named & { readonly fault: Fault };
type Props = {
  /** The decision; null while no dialog is open. */
  readonly action: ExceptionAction | null;
  readonly exceptions: readonly Named[];
  readonly onClose: () => void;
  /** Some were decided. */
  readonly onDone: () => void;
};

const LONGEST_NOTE = 500;

export function ExceptionBulk({ action, exceptions, onClose, onDone }: Props) {
  const { t } = useWords();
  const toast = useToast();
  const router = useRouter();
  const [left, setLeft] = useState<{ readonly count: number; readonly refused: readonly Refused[] } | null>(null);
  const close = () => {
    setLeft(null);
    onClose();
  };
  const done = (count: number, refused: readonly Refused[]) => {
    if (refused.length < count) onDone();
    router.refresh();
    if (refused.length > 0) return setLeft({ count, refused });
    toast(t('operatorDecidedDone'));
    close();
  };
  return (
    <Dialog
      isOpen={action !== null}
      onClose={close}
      title={
        action
          ? `${t(`operatorExceptionDo_${action}`)}: ${t('uiSelected', { count: left?.count ?? exceptions.length })}`
          : ''
      }
      text={left ? undefined : t('operatorBulkText')}
    >
      {action &&
        (left ? <Left {...left} onClose={close} /> : <DecisionForm {...{ action, exceptions, close, done }} />)}
    </Dialog>
  );
}

type DecisionFormProps = {
  readonly action: ExceptionAction;
  readonly exceptions: readonly Named[];
  readonly close: () => void;
  readonly done: (count: number, refused: readonly Refused[]) => void;
};

function DecisionForm({ action, exceptions, close, done }: DecisionFormProps) {
  const { t } = useWords();
  return (
    <ActionForm<readonly Refused[]>
      send={(api, form) => decideEach(api, exceptions, { action, note: formText(form, 'note').trim() })}
      submit={t(`operatorExceptionDo_${action}`)}
      isQuiet
      onDone={(refused) => done(exceptions.length, refused)}
      actions={<Button onClick={close}>{t('uiCancel')}</Button>}
    >
      <Names exceptions={exceptions} />
      <TextArea
        name="note"
        label={t('operatorNote')}
        hint={t('operatorNoteHint')}
        isOptional
        maxLength={LONGEST_NOTE}
        rows={3}
      />
    </ActionForm>
  );
}

function Left({ count, refused, onClose }: { count: number; refused: readonly Refused[]; onClose: () => void }) {
  const { t } = useWords();
  const faultText = useFaultText();
  return (
    <>
      <Note tone="warn" isAlert>
        {t('operatorBulkPart', { done: count - refused.length, count })}
      </Note>
      <Names exceptions={refused.map(({ id, name, fault }) => ({ id, name: `${name}: ${faultText(fault)}` }))} />
      <DialogActions>
        <Button kind="primary" onClick={onClose}>
          {t('uiClose')}
        </Button>
      </DialogActions>
    </>
  );
}

const Names = ({ exceptions }: { exceptions: readonly Named[] }) => (
  <ul className="m-0 grid max-h-60 list-disc gap-1 overflow-y-auto ps-5">
    {exceptions.map(({ id, name }) => (
      <li key={id} className="wrap-anywhere">
        {name}
      </li>
    ))}
  </ul>
);

/** One request each. If the operator cancels the step-up, the rest is not sent, unless one was refused before. */
async function decideEach(
  api: Api,
  exceptions: readonly Named[],
  { action, note }: { readonly action: ExceptionAction; readonly note: string },
): Promise<Answer<readonly Refused[]>> {
  const refused: Refused[] = [];
  for (const one of exceptions) {
    const body = { action, ...(note === '' ? {} : { note }) };
    const answer = await api.post(`/operator/cases/${one.id}/decide`, body);
    if (!('fault' in answer)) continue;
    if (answer.fault.code === 'step_up_required' && refused.length === 0) return answer;
    refused.push({ ...one, fault: answer.fault });
  }
  return { value: refused };
}
