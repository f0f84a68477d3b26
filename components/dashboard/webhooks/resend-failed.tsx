'use client';
// Sends everything again that failed since a given time.

import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { formText } from '@/components/ui/form-text';
import { Select } from '@/components/ui/select';
import { useToast } from '@/components/ui/toast';
import { useWords } from '@/components/ui/words';
import { ActionForm } from '@/components/dashboard/action-form';

const HOURS = [1, 6, 24] as const;
const DAYS = [3, 7, 30] as const;

export function ResendFailed({ api }: { api: string }) {
  const { t, now } = useWords();
  const toast = useToast();
  const [isOpen, setIsOpen] = useState(false);
  const options = [
    ...HOURS.map((hours) => ({ value: String(hours), label: t('dlvSinceHours', { hours }) })),
    ...DAYS.map((days) => ({ value: String(days * 24), label: t('dlvSinceDays', { days }) })),
  ];
  return (
    <>
      <Button icon="retry" onClick={() => setIsOpen(true)}>
        {t('dlvResendFailed')}
      </Button>
      <Dialog
        isOpen={isOpen}
        onClose={() => setIsOpen(false)}
        title={t('dlvResendFailed')}
        text={t('dlvResendFailedText')}
      >
        <ActionForm<{ count: number; is_more: boolean }>
          send={(call, form) =>
            call.post(`${api}/deliveries/resend-failed`, { since: now - Number(formText(form, 'hours')) * 3600 })
          }
          submit={t('dlvResendFailed')}
          onDone={({ count, is_more: isMore }) => {
            setIsOpen(false);
            toast(isMore ? `${t('dlvResentMany', { count })} ${t('dlvResentMore')}` : t('dlvResentMany', { count }));
          }}
          isWide
        >
          <Select name="hours" label={t('dlvSince')} defaultValue="24" options={options} />
        </ActionForm>
      </Dialog>
    </>
  );
}
