'use client';
// A new key with its secret, shown once.

import { useRouter } from 'next/navigation';
import { canSignWith, keepTestKeys, NO_KEYS } from '@/components/ui/test-keys';
import { Button } from '@/components/ui/button';
import { Note } from '@/components/ui/card';
import { CopyField } from '@/components/ui/copy-field';
import { Dialog, DialogActions } from '@/components/ui/dialog';
import { useWords } from '@/components/ui/words';

export type ShownKey = { readonly id: number; readonly api_key: string; readonly api_secret: string };

export function ShownKeyDialog({ shown, onClose }: { shown: ShownKey | null; onClose: () => void }) {
  const { t } = useWords();
  const router = useRouter();
  const close = () => {
    onClose();
    router.refresh();
  };
  return (
    <Dialog isOpen={shown !== null} onClose={close} title={t('keyShown')} isDismissable={false} isWide>
      {shown && (
        <>
          <Note tone="warn">{t('keyShownText')}</Note>
          <CopyField
            label={t('keyShownLabel')}
            values={[
              `export STABLETILL_API_KEY=${shown.api_key}`,
              `export STABLETILL_API_SECRET=${shown.api_secret}`,
              `export STABLETILL_URL=${window.location.origin}`,
            ]}
            file={`stabletill-key-${shown.api_key.slice(-4)}.env`}
          />
          <DialogActions>
            {isForDocs(shown) && <Button onClick={() => openDocs(shown)}>{t('keyInDocs')}</Button>}
            <Button kind="primary" onClick={close}>
              {t('keyKept')}
            </Button>
          </DialogActions>
        </>
      )}
    </Dialog>
  );
}

const keysOf = ({ api_key: apiKey, api_secret: apiSecret }: ShownKey) => ({ ...NO_KEYS, apiKey, apiSecret });

/** A live key fills no sample. */
const isForDocs = (shown: ShownKey): boolean => canSignWith(keysOf(shown));

/** A tab that this tab opens starts with a copy of its session storage. */
function openDocs(shown: ShownKey): void {
  keepTestKeys(keysOf(shown));
  window.open('/docs/quick-start#get-a-test-key', '_blank');
}
