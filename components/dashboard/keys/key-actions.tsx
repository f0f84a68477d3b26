'use client';
// Rolls a key, so that a new one works beside it for a while, or revokes it at once.

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

type Props = { readonly storeId: string; readonly keyId: number; readonly name: string; readonly canRoll: boolean };

export function KeyActions({ storeId, keyId, name, canRoll }: Props) {
  const { t } = useWords();
  const [isOpen, setIsOpen] = useState(false);
  const [shown, setShown] = useState<ShownKey | null>(null);
  const path = `/stores/${storeId}/keys/${keyId}`;
  const revoke = useAction((api, _: null) => api.post(`${path}/revoke`), { done: t('keyRevoked') });
  return (
    <span className="inline-flex flex-wrap justify-end gap-2 md:flex-nowrap">
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
