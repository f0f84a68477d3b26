'use client';
// The actions of an endpoint besides its settings: test it with a sample event, and pause it.

import { useState } from 'react';
import { ButtonLink } from '@/components/ui/button';
import { Confirm } from '@/components/ui/dialog';
import { formText } from '@/components/ui/form-text';
import { Select } from '@/components/ui/select';
import { useWords } from '@/components/ui/words';
import { ActionForm } from '@/components/dashboard/action-form';
import { useAction } from '@/components/dashboard/use-action';

type At = { readonly api: string };

/** `types`: all available ones. `base`: the path of the store's environment. */
export function TestEvent({ api, base, types }: At & { base: string; types: readonly string[] }) {
  const { t } = useWords();
  const [deliveryId, setDeliveryId] = useState<string | null>(null);
  return (
    <ActionForm<{ delivery_id: string }>
      send={(call, form) => call.post(`${api}/test-events`, { type: formText(form, 'type') })}
      submit={t('hookTryGo')}
      submitKind="secondary"
      done={t('hookTryDone')}
      onDone={(sent) => setDeliveryId(sent.delivery_id)}
      isQuiet
      actions={
        deliveryId !== null && (
          <ButtonLink kind="quiet" href={`${base}/webhooks/deliveries/${deliveryId}`}>
            {t('hookTrySee')}
          </ButtonLink>
        )
      }
    >
      <Select name="type" label={t('hookTryType')} options={types.map((value) => ({ value, label: value }))} />
    </ActionForm>
  );
}

export function PauseEndpoint({ api }: At) {
  const { t } = useWords();
  const pause = useAction((call, _: null) => call.post(`${api}/webhook/pause`), { done: t('hookPauseDone') });
  return (
    <Confirm
      trigger={t('hookPause')}
      isSmall
      title={t('hookPause')}
      text={t('hookPauseText')}
      confirm={t('hookPause')}
      onConfirm={() => pause.run(null)}
    />
  );
}
