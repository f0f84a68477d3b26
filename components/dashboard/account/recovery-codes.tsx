'use client';
// Recovery codes, shown once. Neither Escape nor a click outside closes them.

import { Button } from '@/components/ui/button';
import { CopyField } from '@/components/ui/copy-field';
import { Dialog, DialogActions } from '@/components/ui/dialog';
import { useWords } from '@/components/ui/words';

export function RecoveryCodes({ codes, onKept }: { codes: readonly string[]; onKept: () => void }) {
  const { t } = useWords();
  return (
    <Dialog
      isOpen={codes.length > 0}
      onClose={onKept}
      title={t('accountRecoveryShown')}
      text={t('accountRecoveryOnce')}
      isDismissable={false}
    >
      <CopyField values={codes} label={t('accountRecovery')} file="stabletill-recovery-codes.txt" canPrint />
      <DialogActions>
        <Button kind="primary" onClick={onKept}>
          {t('accountRecoveryKept')}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
