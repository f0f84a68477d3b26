'use client';
// A store's logo: the current one, a new one from a file, or none.

import { Button } from '@/components/ui/button';
import { controlClass, Field } from '@/components/ui/field';
import { StoreMark, type Logo } from '@/components/ui/store-mark';
import { useWords } from '@/components/ui/words';
import { ActionForm } from '@/components/dashboard/action-form';
import { useAction } from '@/components/dashboard/use-action';

type Props = {
  readonly storeId: string;
  readonly name: string;
  readonly logo: Logo | null;
  /** Bytes. */
  readonly largest: number;
  readonly isReadOnly: boolean;
};

const TYPES = 'image/png,image/jpeg,image/webp';

export function LogoForm({ storeId, name, logo, largest, isReadOnly }: Props) {
  const { t } = useWords();
  const size = Math.floor(largest / 1024);
  const remove = useAction((api, _: null) => api.post(`/stores/${storeId}/logo/remove`), {
    done: t('brandingLogoRemoved'),
  });
  return (
    <div className="grid gap-4">
      <div className="flex flex-wrap items-center gap-3" data-logo={logo?.hash ?? ''}>
        <StoreMark name={name} logo={logo} />
        {logo === null && <p className="text-muted">{t('brandingLogoNone')}</p>}
        {logo !== null && !isReadOnly && (
          <Button size="small" icon="trash" isPending={remove.isPending} onClick={() => void remove.run(null)}>
            {t('brandingLogoRemove')}
          </Button>
        )}
      </div>
      {!isReadOnly && (
        <ActionForm
          send={async (api, form) => {
            const file = form.get('logo');
            const bytes = file instanceof File ? new Uint8Array(await file.arrayBuffer()) : new Uint8Array();
            // Checked here so that 64 kB are not sent in vain; the server checks it for other clients.
            if (bytes.length > largest)
              return {
                fault: { code: 'INVALID_PARAMETER', param: 'logo', message: t('brandingLogoTooBig', { size }) },
              };
            return api.post(`/stores/${storeId}/logo`, { logo: base64Of(bytes) });
          }}
          submit={t('brandingLogoUpload')}
          submitKind="secondary"
          done={t('uiSaved')}
          isCleared
        >
          <Field name="logo" label={t('brandingLogoFile')} hint={t('brandingLogoHint', { size })}>
            {({ id, describedBy, isInvalid }) => (
              <input
                type="file"
                id={id}
                name="logo"
                accept={TYPES}
                required
                aria-describedby={describedBy}
                aria-invalid={isInvalid || undefined}
                className={controlClass}
              />
            )}
          </Field>
        </ActionForm>
      )}
    </div>
  );
}

const base64Of = (bytes: Uint8Array): string => btoa(Array.from(bytes, (byte) => String.fromCodePoint(byte)).join(''));
