'use client';
// The mails about a store that the viewer receives.

import { Checkbox } from '@/components/ui/checkbox';
import { useWords } from '@/components/ui/words';
import type { MailChoice, MailChoices } from '@/lib/merchants/notifications/mail-choices';
import { ActionForm } from '@/components/dashboard/action-form';

type Props = {
  readonly storeId: string;
  readonly choices: MailChoices;
  /** The mails that the viewer's role may choose. */
  readonly shown: readonly MailChoice[];
};

export function MailChoicesForm({ storeId, choices, shown }: Props) {
  const { t } = useWords();
  return (
    <ActionForm
      send={(api, form) =>
        api.post(`/stores/${storeId}/mails`, {
          exceptions: form.has('exceptions'),
          deliveries: form.has('deliveries'),
          decisions: form.has('decisions'),
        })
      }
      submit={t('uiSave')}
      done={t('uiSaved')}
    >
      <div>
        {shown.map((choice) => (
          <Checkbox key={choice} name={choice} defaultChecked={choices[choice]} label={t(`memMail_${choice}`)} />
        ))}
      </div>
    </ActionForm>
  );
}
