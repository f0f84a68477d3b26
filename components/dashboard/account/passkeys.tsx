'use client';
// The user's passkeys: create, name and remove.

import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { DateTime } from '@/components/ui/date-time';
import { CopyText } from '@/components/ui/copy-field';
import { Confirm, Dialog } from '@/components/ui/dialog';
import { TextInput } from '@/components/ui/field';
import { formText } from '@/components/ui/form-text';
import { Icon } from '@/components/ui/icon';
import { useWords } from '@/components/ui/words';
import { ActionForm } from '@/components/dashboard/action-form';
import type { Answer } from '@/components/dashboard/api';
import type { Api } from '@/components/dashboard/step-up';
import { useAction } from '@/components/dashboard/use-action';
import { RecoveryCodes } from './recovery-codes';

/** Times in Unix seconds. */
export type PasskeyView = {
  readonly id: string;
  readonly name: string;
  readonly createdAt: number;
  readonly usedAt: number | null;
  /** For an operator's passkey: the data that enrols it at the signer. */
  readonly approver: { readonly code: string; readonly fingerprint: string } | null;
};

type Added = { readonly id: string; readonly recovery_codes: readonly string[] };

export function Passkeys({ passkeys }: { passkeys: readonly PasskeyView[] }) {
  const { t } = useWords();
  const [isOpen, setIsOpen] = useState(false);
  const [codes, setCodes] = useState<readonly string[]>([]);
  return (
    <div className="grid gap-4">
      {passkeys.length === 0 ? (
        <p className="text-muted">{t('accountPasskeyNone')}</p>
      ) : (
        <ul className="grid divide-y divide-line">
          {passkeys.map((one) => (
            <Passkey key={one.id} passkey={one} />
          ))}
        </ul>
      )}
      <div>
        <Button icon="plus" onClick={() => setIsOpen(true)}>
          {t('accountPasskeyAdd')}
        </Button>
      </div>
      <Dialog isOpen={isOpen} onClose={() => setIsOpen(false)} title={t('accountPasskeyAdd')}>
        <ActionForm
          send={(api, form) => addPasskey(api, formText(form, 'name'), t('accountPasskeyFailed'))}
          onDone={(added) => {
            setIsOpen(false);
            setCodes(added.recovery_codes);
          }}
          done={t('accountPasskeyAdded')}
          submit={t('accountPasskeyAdd')}
          isWide
        >
          <TextInput
            name="name"
            label={t('accountPasskeyName')}
            hint={t('accountPasskeyNameHint')}
            maxLength={100}
            autoComplete="off"
            required
          />
        </ActionForm>
      </Dialog>
      <RecoveryCodes codes={codes} onKept={() => setCodes([])} />
    </div>
  );
}

async function addPasskey(api: Api, name: string, failed: string): Promise<Answer<Added>> {
  type Options = Parameters<typeof import('@simplewebauthn/browser').startRegistration>[0]['optionsJSON'];
  const options = await api.post<Options>('/account/passkeys/options');
  if ('fault' in options) return options;
  const { startRegistration } = await import('@simplewebauthn/browser');
  try {
    const answer = await startRegistration({ optionsJSON: options.value });
    return await api.post<Added>('/account/passkeys', { name, answer });
  } catch {
    // Every exception of the browser means that no passkey was created.
    return { fault: { code: 'no_passkey', message: failed, param: null } };
  }
}

function Passkey({ passkey }: { passkey: PasskeyView }) {
  const { t } = useWords();
  const path = `/account/passkeys/${encodeURIComponent(passkey.id)}/remove`;
  const remove = useAction((api) => api.post(path), { done: t('accountPasskeyRemoved') });
  return (
    <li className="flex flex-wrap items-center justify-between gap-3 py-3 first:pt-0 last:pb-0">
      <span className="flex min-w-0 items-center gap-3">
        <Icon name="keys" size={18} className="text-muted" />
        <span className="grid min-w-0">
          <span className="truncate font-semibold">{passkey.name}</span>
          <span className="text-[0.8125rem] text-muted">
            {passkey.usedAt === null ? t('accountPasskeyNeverUsed') : t('accountPasskeyUsed')}{' '}
            {passkey.usedAt !== null && <DateTime at={passkey.usedAt} inList />}
          </span>
        </span>
      </span>
      <span className="inline-flex flex-wrap gap-1.5">
        {passkey.approver && <Approver {...passkey.approver} />}
        <Confirm
          trigger={t('accountPasskeyRemove')}
          isSmall
          title={t('accountPasskeyRemoveTitle', { name: passkey.name })}
          text={t('accountPasskeyRemoveText')}
          confirm={t('accountPasskeyRemove')}
          isDangerous
          onConfirm={() => remove.run(undefined)}
        />
      </span>
    </li>
  );
}

/** An operator gives this to the person who runs the signer, so that the signer accepts the passkey. */
function Approver({ code, fingerprint }: { readonly code: string; readonly fingerprint: string }) {
  const { t } = useWords();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button size="small" onClick={() => setIsOpen(true)}>
        {t('accountApprover')}
      </Button>
      <Dialog
        isOpen={isOpen}
        onClose={() => setIsOpen(false)}
        title={t('accountApprover')}
        text={t('accountApproverText')}
      >
        <div className="grid gap-3">
          <CopyText text={code} label={t('accountApprover')} />
          <p>
            {t('accountApproverFingerprint')}: <code dir="ltr">{fingerprint}</code>
          </p>
          <p className="text-[0.8125rem] text-muted">{t('accountApproverCheck')}</p>
        </div>
      </Dialog>
    </>
  );
}
