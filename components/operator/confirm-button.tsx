'use client';
// Buttons and menus of the console that need a confirmation. A dialog shows what is confirmed and asks for a reason where needed. The
// request carries the state at the dialog's opening, so that the server refuses a decision on an older state.

import { useRouter } from 'next/navigation';
import { useState, type ReactNode } from 'react';
import { ActionForm } from '@/components/dashboard/action-form';
import type { Answer } from '@/components/dashboard/api';
import { signApproval } from '@/components/dashboard/passkey';
import type { Api } from '@/components/dashboard/step-up';
import { Button, type ButtonKind } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { formText } from '@/components/ui/form-text';
import { TextArea } from '@/components/ui/field';
import type { IconName } from '@/components/ui/icon';
import type { MenuEntry } from '@/components/ui/menu';
import { RowMenu } from '@/components/ui/row-menu';
import { useWords } from '@/components/ui/words';

type Props = {
  readonly trigger: string;
  readonly triggerKind?: ButtonKind;
  readonly icon?: IconName;
  readonly isSmall?: boolean;
  /** False if the action is no longer possible. An open dialog stays, with the reason for the refusal. */
  readonly isOffered?: boolean;
  readonly title: string;
  readonly text?: ReactNode;
  /** The same as `trigger` by default. */
  readonly submit?: string;
  readonly submitKind?: ButtonKind;
  /** The message after success. */
  readonly done: string;
  /** Below /api/dashboard. */
  readonly path: string;
  readonly body?: Readonly<Record<string, string | number | null>>;
  /** The text to enter, under its name in the request. */
  readonly field?: {
    readonly name: string;
    readonly label: string;
    readonly hint?: string;
    readonly isRequired?: boolean;
    /** Characters, 500 by default. */
    readonly longest?: number;
  };
  /** Whether the browser requests a passkey that signs `body.digest`; it is sent as `passkey`. */
  readonly isSigned?: boolean;
  /** What the decision is about, above the field. */
  readonly children?: ReactNode;
};

const LONGEST_NOTE = 500;
/** The displayed state is outdated, so the page is reloaded behind the dialog. */
const OLD: ReadonlySet<string> = new Set(['STORE_CHANGED', 'APPROVAL_CHANGED', 'CASE_ALREADY_DECIDED']);

export function ConfirmButton(props: Props) {
  const { triggerKind = 'secondary', icon, isSmall = false, isOffered = true, ...confirmation } = props;
  const [pending, setPending] = useState<typeof confirmation | null>(null);
  return (
    <>
      {isOffered && (
        <Button
          kind={triggerKind}
          icon={icon}
          size={isSmall ? 'small' : 'normal'}
          onClick={() => setPending(confirmation)}
        >
          {confirmation.trigger}
        </Button>
      )}
      <Dialog
        isOpen={pending !== null}
        onClose={() => setPending(null)}
        title={confirmation.title}
        text={confirmation.text}
      >
        {pending && <ConfirmForm {...pending} onClose={() => setPending(null)} />}
      </Dialog>
    </>
  );
}

type ConfirmAction = Omit<Props, 'isSmall' | 'triggerKind' | 'isOffered'>;

/** The same for a list row with several possible actions, below its links. `name`: of the row. */
export function ConfirmMenu({
  name,
  actions,
  links = [],
}: {
  name: string;
  actions: readonly ConfirmAction[];
  links?: readonly MenuEntry[];
}) {
  const [pending, setPending] = useState<ConfirmAction | null>(null);
  const entries = actions.map((action) => ({
    kind: 'action' as const,
    label: action.trigger,
    ...(action.icon && { icon: action.icon }),
    isDangerous: action.submitKind === 'danger',
    onSelect: () => setPending(action),
  }));
  return (
    <>
      <RowMenu name={name} entries={[...links, ...entries]} />
      <Dialog
        isOpen={pending !== null}
        onClose={() => setPending(null)}
        title={pending?.title ?? ''}
        text={pending?.text}
      >
        {pending && <ConfirmForm {...pending} onClose={() => setPending(null)} />}
      </Dialog>
    </>
  );
}

type ConfirmFormProps = Omit<ConfirmAction, 'icon'> & {
  readonly onClose: () => void;
};

function ConfirmForm(props: ConfirmFormProps) {
  const { trigger, submit = trigger, submitKind = 'primary', done, path, body, field, children, onClose } = props;
  const { isSigned = false } = props;
  const { t } = useWords();
  const router = useRouter();
  const sign = (api: Api) =>
    signApproval(api.post, { path, digest: String(body?.digest), none: t('operatorApprovalNoPasskey') });
  const send = async (api: Api, form: FormData): Promise<Answer<unknown>> => {
    const written = field ? formText(form, field.name).trim() : '';
    const note = field && written !== '' ? { [field.name]: written } : {};
    const signed = isSigned ? await sign(api) : { value: null };
    if ('fault' in signed) return signed;
    const answer = await api.post(path, { ...body, ...note, ...(signed.value && { passkey: signed.value }) });
    if ('fault' in answer && OLD.has(answer.fault.code)) router.refresh();
    return answer;
  };
  return (
    <ActionForm
      send={send}
      submit={submit}
      submitKind={submitKind}
      done={done}
      onDone={onClose}
      actions={<Button onClick={onClose}>{t('uiCancel')}</Button>}
    >
      {children}
      {field && (
        <TextArea
          name={field.name}
          label={field.label}
          hint={field.hint}
          required={field.isRequired}
          isOptional={!field.isRequired}
          maxLength={field.longest ?? LONGEST_NOTE}
          rows={3}
        />
      )}
    </ActionForm>
  );
}
