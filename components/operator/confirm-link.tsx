'use client';
// Creates the link by which a user confirms their address and sets a password; shown once, for the operator.

import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { ActionForm } from '@/components/dashboard/action-form';
import { Button } from '@/components/ui/button';
import { CopyField } from '@/components/ui/copy-field';
import { Dialog, DialogActions } from '@/components/ui/dialog';
import { useWords } from '@/components/ui/words';

export function ConfirmLink({ userId, name }: { userId: string; name: string }) {
  const { t } = useWords();
  const router = useRouter();
  const [isOpen, setOpen] = useState(false);
  const [link, setLink] = useState<string | null>(null);
  const close = () => {
    setOpen(false);
    setLink(null);
    router.refresh();
  };
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)}>
        {t('operatorUserConfirm')}
      </Button>
      <Dialog
        isOpen={isOpen}
        onClose={close}
        title={t('operatorUserConfirmTitle', { name })}
        text={t(link === null ? 'operatorUserConfirmText' : 'operatorUserConfirmOnce')}
        isDismissable={link === null}
      >
        {link === null ? (
          <ActionForm<{ link: string }>
            send={(api) => api.post(`/operator/users/${userId}/confirm`, {})}
            submit={t('operatorUserConfirmMake')}
            isQuiet
            onDone={(made) => setLink(made.link)}
            actions={<Button onClick={close}>{t('uiCancel')}</Button>}
          />
        ) : (
          <>
            <CopyField values={[link]} label={t('operatorUserConfirm')} file="stabletill-link.txt" />
            <DialogActions>
              <Button kind="primary" onClick={close}>
                {t('operatorUserConfirmKept')}
              </Button>
            </DialogActions>
          </>
        )}
      </Dialog>
    </>
  );
}
