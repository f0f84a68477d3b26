'use client';
// Rolls a key, so that a new one works beside it for a while; sets its signature version; or revokes it at once.

import { useState } from 'react';
import { ConfirmDialog, Dialog } from '@/components/ui/dialog';
import { formText } from '@/components/ui/form-text';
import { RowMenu } from '@/components/ui/row-menu';
import { Select } from '@/components/ui/select';
import { useWords } from '@/components/ui/words';
import { ActionForm } from '@/components/dashboard/action-form';
import { useAction } from '@/components/dashboard/use-action';
import { ShownKeyDialog, type ShownKey } from './shown-key';

const HOURS = [0, 1, 24, 72, 168] as const;

type Props = {
  readonly storeId: string;
  readonly environment: 'live' | 'test';
  readonly keyId: number;
  readonly name: string;
  readonly canRoll: boolean;
  readonly canSetSignature: boolean;
  readonly requiresSignatureV2: boolean;
};

export function KeyActions({
  storeId,
  environment,
  keyId,
  name,
  canRoll,
  canSetSignature,
  requiresSignatureV2,
}: Props) {
  const { t } = useWords();
  const [openDialog, setOpenDialog] = useState<'signature' | 'roll' | 'revoke' | null>(null);
  const [shown, setShown] = useState<ShownKey | null>(null);
  const close = () => setOpenDialog(null);
  const path = `/stores/${storeId}/${environment}/keys/${keyId}`;
  const change = requiresSignatureV2 ? 'Allow' : 'Require';
  const setSignature = useAction(
    (api, _: null) => api.post(`${path}/signature`, { requires_signature_v2: !requiresSignatureV2 }),
    { done: t('keySignatureChanged') },
  );
  const revoke = useAction((api, _: null) => api.post(`${path}/revoke`), { done: t('keyRevoked') });
  const entry = (what: NonNullable<typeof openDialog>, label: string, isDangerous = false) =>
    ({ kind: 'action', label, isDangerous, onSelect: () => setOpenDialog(what) }) as const;
  return (
    <>
      <RowMenu
        name={name}
        entries={[
          ...(canRoll ? [entry('roll', t('keyRoll'))] : []),
          ...(canSetSignature ? [entry('signature', t(`keySignature${change}`))] : []),
          entry('revoke', t('keyRevoke'), true),
        ]}
      />
      <ConfirmDialog
        isOpen={openDialog === 'signature'}
        onClose={close}
        title={t(`keySignature${change}Title`, { name })}
        text={t(`keySignature${change}Text`)}
        confirm={t(`keySignature${change}`)}
        onConfirm={() => setSignature.run(null)}
      />
      <ConfirmDialog
        isOpen={openDialog === 'revoke'}
        onClose={close}
        title={t('keyRevokeTitle', { name })}
        text={t('keyRevokeText')}
        confirm={t('keyRevoke')}
        isDangerous
        onConfirm={() => revoke.run(null)}
      />
      <Dialog
        isOpen={openDialog === 'roll'}
        onClose={close}
        title={t('keyRollTitle', { name })}
        text={t('keyRollText')}
      >
        <ActionForm<ShownKey>
          send={(api, form) => api.post(`${path}/roll`, { overlap_seconds: Number(formText(form, 'hours')) * 3600 })}
          submit={t('keyRoll')}
          onDone={(key) => {
            close();
            setShown(key);
          }}
          isQuiet
          isWide
        >
          <Select
            name="hours"
            label={t('keyOverlap')}
            defaultValue="24"
            options={HOURS.map((hours) => ({ value: String(hours), label: t('keyOverlapHours', { hours }) }))}
          />
        </ActionForm>
      </Dialog>
      <ShownKeyDialog shown={shown} onClose={() => setShown(null)} />
    </>
  );
}
