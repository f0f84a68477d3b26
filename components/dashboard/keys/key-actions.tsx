'use client';
// Rolls a key, so that a new one works beside it for a while; sets its signature version; or revokes it at once.

import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Confirm, Dialog } from '@/components/ui/dialog';
import { formText } from '@/components/ui/form-text';
import { Select } from '@/components/ui/select';
import { useWords } from '@/components/ui/words';
import { ActionForm } from '../action-form';
import { useAction } from '../use-action';
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
  const [isOpen, setIsOpen] = useState(false);
  const [shown, setShown] = useState<ShownKey | null>(null);
  const path = `/stores/${storeId}/${environment}/keys/${keyId}`;
  const revoke = useAction((api, _: null) => api.post(`${path}/revoke`), { done: t('keyRevoked') });
  return (
    <span className="inline-flex flex-wrap justify-end gap-2">
      {canSetSignature && <SignatureVersion {...{ path, name, requiresSignatureV2 }} />}
      {canRoll && (
        <Button size="small" onClick={() => setIsOpen(true)}>
          {t('keyRoll')}
        </Button>
      )}
      <Confirm
        trigger={t('keyRevoke')}
        isSmall
        title={t('keyRevokeTitle', { name })}
        text={t('keyRevokeText')}
        confirm={t('keyRevoke')}
        isDangerous
        onConfirm={() => revoke.run(null)}
      />
      <Dialog
        isOpen={isOpen}
        onClose={() => setIsOpen(false)}
        title={t('keyRollTitle', { name })}
        text={t('keyRollText')}
      >
        <ActionForm<ShownKey>
          send={(api, form) => api.post(`${path}/roll`, { overlap_seconds: Number(formText(form, 'hours')) * 3600 })}
          submit={t('keyRoll')}
          onDone={(key) => {
            setIsOpen(false);
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
    </span>
  );
}

type SignatureProps = { readonly path: string; readonly name: string; readonly requiresSignatureV2: boolean };

/** Requires signature version 2, or allows version 1 again. */
function SignatureVersion({ path, name, requiresSignatureV2 }: SignatureProps) {
  const { t } = useWords();
  const set = useAction(
    (api, isRequired: boolean) => api.post(`${path}/signature`, { requires_signature_v2: isRequired }),
    { done: t('keySignatureChanged') },
  );
  const change = requiresSignatureV2 ? 'Allow' : 'Require';
  return (
    <Confirm
      trigger={t(`keySignature${change}`)}
      isSmall
      title={t(`keySignature${change}Title`, { name })}
      text={t(`keySignature${change}Text`)}
      confirm={t(`keySignature${change}`)}
      onConfirm={() => set.run(!requiresSignatureV2)}
    />
  );
}
