'use client';
// The address that receives events, and its secret: created with the address, shown once, rotated over one day.

import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Note } from '@/components/ui/card';
import { Checkbox } from '@/components/ui/checkbox';
import { CopyField } from '@/components/ui/copy-field';
import { Confirm, Dialog, DialogActions } from '@/components/ui/dialog';
import { TextInput } from '@/components/ui/field';
import { formText } from '@/components/ui/form-text';
import { useWords } from '@/components/ui/words';
import { RETRY_SECONDS, slowSchedule } from '@/lib/webhooks/delivery/schedule';
import { ActionForm } from '@/components/dashboard/action-form';
import { useAction } from '@/components/dashboard/use-action';

type Of = { readonly storeId: string; readonly environment: 'live' | 'test' };

type EndpointProps = Of & {
  /** Null while there is none. */
  readonly url: string | null;
  /** Whether failed deliveries are retried for three days. */
  readonly isSlowLane: boolean;
  /** A sandbox also delivers to this machine. */
  readonly isSandbox: boolean;
};

export function EndpointForm({ storeId, environment, url, isSlowLane, isSandbox }: EndpointProps) {
  const { t } = useWords();
  const router = useRouter();
  const [secret, setSecret] = useState<string | null>(null);
  const path = `/stores/${storeId}/${environment}/webhook`;
  const remove = useAction((api, _: null) => api.post(`${path}/remove`), {
    done: t('hookRemoved'),
  });
  return (
    <>
      <ActionForm<{ secret: string | null }>
        send={(api, form) => api.post(path, { url: formText(form, 'url'), slow_lane: form.has('slow_lane') })}
        submit={url === null ? t('hookSet') : t('uiSave')}
        done={t('uiSaved')}
        onDone={(made) => {
          if (made.secret === null) router.refresh();
          else setSecret(made.secret);
        }}
        isQuiet
        actions={
          url !== null && (
            <Confirm
              trigger={t('hookRemove')}
              title={t('hookRemove')}
              text={t('hookRemoveText')}
              confirm={t('hookRemove')}
              isDangerous
              onConfirm={() => remove.run(null)}
            />
          )
        }
      >
        <TextInput
          name="url"
          type="url"
          label={t('hookUrl')}
          hint={t(isSandbox ? 'hookUrlHintSandbox' : 'hookUrlHint')}
          defaultValue={url ?? ''}
          placeholder="https://shop.example.com/webhooks/stabletill"
          isMono
          required
          maxLength={2048}
          autoComplete="off"
        />
        <Checkbox
          name="slow_lane"
          defaultChecked={isSlowLane}
          label={t('hookSlow')}
          hint={t('hookSlowText', { seconds: RETRY_SECONDS.join(', '), ...slowSchedule() })}
        />
      </ActionForm>
      <SecretDialog secret={secret} onClose={() => setSecret(null)} />
    </>
  );
}

export function EndpointSecret({ storeId, environment }: Of) {
  const { t } = useWords();
  const [secret, setSecret] = useState<string | null>(null);
  const rotate = useAction(
    (api, _: null) => api.post<{ secret: string }>(`/stores/${storeId}/${environment}/webhook/rotate`),
    {
      onDone: (made) => setSecret(made.secret),
      isQuiet: true,
    },
  );
  return (
    <div>
      <Confirm
        trigger={t('hookRotate')}
        title={t('hookRotate')}
        text={t('hookRotateText')}
        confirm={t('hookRotate')}
        onConfirm={() => rotate.run(null)}
      />
      <SecretDialog secret={secret} onClose={() => setSecret(null)} />
    </div>
  );
}

function SecretDialog({ secret, onClose }: { secret: string | null; onClose: () => void }) {
  const { t } = useWords();
  const router = useRouter();
  const close = () => {
    onClose();
    router.refresh();
  };
  return (
    <Dialog isOpen={secret !== null} onClose={close} title={t('hookSecretShown')} isDismissable={false} isWide>
      {secret !== null && (
        <>
          <Note tone="warn">{t('keyShownText')}</Note>
          <CopyField
            label={t('hookSecret')}
            values={[`export STABLETILL_WEBHOOK_SECRET=${secret}`]}
            file="stabletill-webhook-secret.env"
          />
          <DialogActions>
            <Button kind="primary" onClick={close}>
              {t('keyKept')}
            </Button>
          </DialogActions>
        </>
      )}
    </Dialog>
  );
}
