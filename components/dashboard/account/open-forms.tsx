'use client';
// The forms of visitors who are not signed in: sign up and forgotten password.

import { useState } from 'react';
import { Note } from '@/components/ui/card';
import { formText as text } from '@/components/ui/form-text';
import { useWords } from '@/components/ui/words';
import { ActionForm } from '@/components/dashboard/action-form';
import { Email } from './open-fields';

/** Says what a mail was sent for; the sandbox shows the mail itself. */
function CheckMailbox({ email, isSandbox }: { email: string; isSandbox: boolean }) {
  const { t } = useWords();
  return (
    <div role="status" className="grid gap-3">
      <Note tone="good" title={t('authCheckMail')}>
        {t('authCheckMailText', { email })}
      </Note>
      <p className="text-[0.8125rem] text-muted">{t('authCheckMailNothing')}</p>
      {isSandbox && (
        <a href={`/sandbox/mail?to=${encodeURIComponent(email)}`} className="font-semibold">
          {t('authSandboxMail')}
        </a>
      )}
    </div>
  );
}

export function SignUpForm({ isSandbox }: { isSandbox: boolean }) {
  const { t, locale } = useWords();
  const [sentTo, setSentTo] = useState<string | null>(null);
  if (sentTo !== null) return <CheckMailbox email={sentTo} isSandbox={isSandbox} />;
  return (
    <ActionForm
      send={async (api, form) => {
        const email = text(form, 'email');
        const answer = await api.post('/sign-up', { email, locale });
        return 'fault' in answer ? answer : { value: email };
      }}
      onDone={setSentTo}
      submit={t('authSignUp')}
      isQuiet
      isWide
    >
      <Email />
    </ActionForm>
  );
}

export function ResetRequestForm({ isSandbox }: { isSandbox: boolean }) {
  const { t } = useWords();
  const [sentTo, setSentTo] = useState<string | null>(null);
  if (sentTo !== null) return <CheckMailbox email={sentTo} isSandbox={isSandbox} />;
  return (
    <ActionForm
      send={async (api, form) => {
        const email = text(form, 'email');
        const answer = await api.post('/reset', { email });
        return 'fault' in answer ? answer : { value: email };
      }}
      onDone={setSentTo}
      submit={t('authResetSend')}
      isQuiet
      isWide
    >
      <Email />
    </ActionForm>
  );
}
