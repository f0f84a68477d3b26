'use client';
// The forms of those who are not signed in yet: sign up, forgotten password, and what links of mails lead to.

import { useState } from 'react';
import { Note } from '@/components/ui/card';
import { ButtonLink } from '@/components/ui/button';
import { PasswordInput, TextInput } from '@/components/ui/field';
import { formText as text } from '@/components/ui/form-text';
import { useWords } from '@/components/ui/words';
import { ActionForm } from '../action-form';

/** What a mail has been sent for; the sandbox shows the mail itself. */
function LookIntoMailbox({ email, isSandbox }: { email: string; isSandbox: boolean }) {
  const { t } = useWords();
  return (
    <div role="status" className="grid gap-3">
      <Note tone="good" title={t('authCheckMail')}>
        {t('authCheckMailText', { email })}
      </Note>
      <p className="text-[0.8125rem] text-muted">{t('authCheckMailNothing')}</p>
      {isSandbox && (
        <a href="/sandbox/mail" className="font-semibold">
          {t('authSandboxMail')}
        </a>
      )}
    </div>
  );
}

function Email() {
  const { t } = useWords();
  return (
    <TextInput
      name="email"
      label={t('authEmail')}
      type="email"
      autoComplete="username"
      autoCapitalize="none"
      spellCheck={false}
      maxLength={254}
      required
    />
  );
}

function NewPassword({ shortest, label }: { shortest: number; label: string }) {
  const { t } = useWords();
  const hint = t('authPasswordHint', { count: shortest });
  return (
    <PasswordInput
      name="password"
      label={label}
      hint={hint}
      autoComplete="new-password"
      minLength={shortest}
      required
    />
  );
}

type SignUpProps = { readonly shortest: number; readonly isSandbox: boolean };

export function SignUpForm({ shortest, isSandbox }: SignUpProps) {
  const { t, locale } = useWords();
  const [sentTo, setSentTo] = useState<string | null>(null);
  if (sentTo !== null) return <LookIntoMailbox email={sentTo} isSandbox={isSandbox} />;
  return (
    <ActionForm
      send={async (api, form) => {
        const email = text(form, 'email');
        const given = { name: text(form, 'name'), email, password: text(form, 'password'), locale };
        const answer = await api.post('/sign-up', given);
        return 'fault' in answer ? answer : { value: email };
      }}
      onDone={setSentTo}
      submit={t('authSignUp')}
      isQuiet
      isWide
    >
      <TextInput name="name" label={t('authName')} autoComplete="name" maxLength={100} required />
      <Email />
      <NewPassword shortest={shortest} label={t('authPassword')} />
    </ActionForm>
  );
}

export function ResetRequestForm({ isSandbox }: { isSandbox: boolean }) {
  const { t } = useWords();
  const [sentTo, setSentTo] = useState<string | null>(null);
  if (sentTo !== null) return <LookIntoMailbox email={sentTo} isSandbox={isSandbox} />;
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
