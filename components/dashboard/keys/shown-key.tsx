'use client';
// A new key with its secret, shown this once.

import { useRouter } from 'next/navigation';
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
            <Button kind="primary" onClick={close}>
              {t('keyKept')}
            </Button>
          </DialogActions>
        </>
      )}
    </Dialog>
  );
}
