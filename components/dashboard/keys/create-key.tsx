'use client';
// Creates an API key: name, scopes, allowed addresses, and whether it requires signature version 2. Shows it once.

import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Checkbox, Choices } from '@/components/ui/checkbox';
import { Dialog } from '@/components/ui/dialog';
import { TextArea, TextInput } from '@/components/ui/field';
import { formText } from '@/components/ui/form-text';
import { More } from '@/components/ui/more';
import { useWords } from '@/components/ui/words';
import { ActionForm } from '@/components/dashboard/action-form';
import { ShownKeyDialog, type ShownKey } from './shown-key';

const TEXTS = {
  'sessions:read': 'keyScope_sessionsRead',
  'sessions:write': 'keyScope_sessionsWrite',
  'refunds:read': 'keyScope_refundsRead',
  'refunds:write': 'keyScope_refundsWrite',
  'payouts:read': 'keyScope_payoutsRead',
  'payouts:write': 'keyScope_payoutsWrite',
} as const;

type Props = {
  readonly storeId: string;
  readonly environment: 'live' | 'test';
  /** The scopes that the viewer may grant. */
  readonly scopes: readonly (keyof typeof TEXTS)[];
};

export function CreateKey({ storeId, environment, scopes }: Props) {
  const { t } = useWords();
  const [isOpen, setIsOpen] = useState(false);
  const [shown, setShown] = useState<ShownKey | null>(null);
  return (
    <>
      <Button kind="primary" icon="plus" onClick={() => setIsOpen(true)}>
        {t('keyCreate')}
      </Button>
      <Dialog
        isOpen={isOpen}
        onClose={() => setIsOpen(false)}
        title={t('keyCreate')}
        text={t(`keyCreate_${environment}`)}
      >
        <ActionForm<ShownKey>
          send={(api, form) =>
            api.post(`/stores/${storeId}/${environment}/keys`, {
              name: formText(form, 'name'),
              scopes: form.getAll('scopes'),
              allowed_addresses: formText(form, 'allowed_addresses')
                .split(/[\s,]+/)
                .filter((one) => one !== ''),
              requires_signature_v2: form.get('requires_signature_v2') !== null,
            })
          }
          submit={t('keyCreate')}
          onDone={(key) => {
            setIsOpen(false);
            setShown(key);
          }}
          isQuiet
          isWide
        >
          <TextInput
            name="name"
            label={t('keyName')}
            hint={t('keyNameHint')}
            maxLength={100}
            required
            autoComplete="off"
          />
          <More>
            <Choices label={t('keyScopes')}>
              {scopes.map((scope) => (
                <Checkbox
                  key={scope}
                  name="scopes"
                  value={scope}
                  defaultChecked={!scope.startsWith('payouts:')}
                  label={<code>{scope}</code>}
                  hint={t(TEXTS[scope])}
                />
              ))}
            </Choices>
            <TextArea
              name="allowed_addresses"
              label={t('keyAddresses')}
              hint={t('keyAddressesHint')}
              isOptional
              rows={2}
            />
            <Checkbox name="requires_signature_v2" label={t('keySignatureV2')} hint={t('keySignatureV2Hint')} />
          </More>
        </ActionForm>
      </Dialog>
      <ShownKeyDialog shown={shown} onClose={() => setShown(null)} />
    </>
  );
}
