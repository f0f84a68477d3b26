'use client';
// The forms that the links of mails lead to, and that of a new installation's first operator.

import { useState } from 'react';
import { ButtonLink } from '@/components/ui/button';
import { Note } from '@/components/ui/card';
import { PasswordInput, TextInput } from '@/components/ui/field';
import { formText as text } from '@/components/ui/form-text';
import { useWords } from '@/components/ui/words';
import { ActionForm } from '../action-form';
import { Email, NewPassword } from './open-fields';

type LinkProps = { readonly token: string };

/** What was done, and the way on from it. */
function Done({ words }: { words: string }) {
  const { t } = useWords();
  return (
    <div role="status" className="grid gap-4">
      <Note tone="good">{words}</Note>
      <ButtonLink kind="primary" href="/login" isWide>
        {t('authSignIn')}
      </ButtonLink>
    </div>
  );
}

export function NewPasswordForm({ token, shortest }: LinkProps & { shortest: number }) {
  const { t } = useWords();
  const [isDone, setIsDone] = useState(false);
  if (isDone) return <Done words={t('authPasswordChanged')} />;
  return (
    <ActionForm
      send={(api, form) => api.post('/reset/finish', { token, password: text(form, 'password') })}
      onDone={() => setIsDone(true)}
      submit={t('authNewPasswordSave')}
      isQuiet
      isWide
    >
      <NewPassword shortest={shortest} label={t('authNewPassword')} />
    </ActionForm>
  );
}

export function ConfirmForm({ token }: LinkProps) {
  const { t } = useWords();
  const [isDone, setIsDone] = useState(false);
  if (isDone) return <Done words={t('authConfirmed')} />;
  return (
    <ActionForm
      send={(api, form) => api.post('/confirm', { token, password: text(form, 'password') })}
      onDone={() => setIsDone(true)}
      submit={t('authConfirmGo')}
      isQuiet
      isWide
    >
      <PasswordInput name="password" label={t('authPassword')} autoComplete="current-password" required />
    </ActionForm>
  );
}

export function ConfirmEmailForm({ token }: LinkProps) {
  const { t } = useWords();
  const [isDone, setIsDone] = useState(false);
  if (isDone) return <Done words={t('authEmailChanged')} />;
  return (
    <ActionForm
      send={(api) => api.post('/confirm/email', { token })}
      onDone={() => setIsDone(true)}
      submit={t('authConfirmGo')}
      isQuiet
      isWide
    />
  );
}

export function SetupForm({ token, shortest }: LinkProps & { shortest: number }) {
  const { t } = useWords();
  const [isDone, setIsDone] = useState(false);
  if (isDone) return <Done words={t('authSetupDone')} />;
  return (
    <ActionForm
      send={(api, form) => {
        const given = { name: text(form, 'name'), email: text(form, 'email'), password: text(form, 'password') };
        return api.post('/setup', { token, ...given });
      }}
      onDone={() => setIsDone(true)}
      submit={t('authSetupGo')}
      isQuiet
      isWide
    >
      <TextInput name="name" label={t('authName')} autoComplete="name" maxLength={100} required />
      <Email />
      <NewPassword shortest={shortest} label={t('authPassword')} />
    </ActionForm>
  );
}

export function InviteForm({ token }: LinkProps) {
  const { t } = useWords();
  return (
    <ActionForm
      send={(api) => api.post('/invite', { token })}
      onDone={() => window.location.assign('/dashboard')}
      submit={t('authInviteAccept')}
      isQuiet
      isWide
    />
  );
}
