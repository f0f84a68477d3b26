'use client';
// The forms behind links in mails, and the form of a new installation's first operator.

import { useState } from 'react';
import { ButtonLink } from '@/components/ui/button';
import { Note } from '@/components/ui/card';
import { TextInput } from '@/components/ui/field';
import { formText as text } from '@/components/ui/form-text';
import { useWords } from '@/components/ui/words';
import { ActionForm } from '@/components/dashboard/action-form';
import { postForm } from '@/components/dashboard/auth-form';
import { Email, NewPassword } from './open-fields';
import { SIGN_IN_PATH } from './sign-in-form';

type LinkProps = { readonly token: string };

/** The result, and the link to the next step. */
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

/** Signs in with the new password. `otherwise`: the text if that fails and the user has to sign in by hand. */
async function signIn(
  account: { readonly email: string; readonly password: string },
  callbackUrl: string,
  otherwise: () => void,
): Promise<void> {
  const answer = await postForm(SIGN_IN_PATH, { ...account, callbackUrl });
  if ('url' in answer) window.location.assign(answer.url);
  else otherwise();
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

export function ConfirmForm({ token, shortest }: LinkProps & { shortest: number }) {
  const { t } = useWords();
  const [isDone, setIsDone] = useState(false);
  if (isDone) return <Done words={t('authConfirmed')} />;
  return (
    <ActionForm<{ email: string }>
      send={async (api, form) => {
        const password = text(form, 'password');
        const answer = await api.post<{ email: string }>('/confirm', { token, password });
        if ('value' in answer) await signIn({ ...answer.value, password }, '/dashboard', () => setIsDone(true));
        return answer;
      }}
      submit={t('authConfirmSet')}
      isQuiet
      isWide
    >
      <NewPassword shortest={shortest} label={t('authPassword')} />
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
      send={async (api, form) => {
        const given = { email: text(form, 'email'), password: text(form, 'password') };
        const answer = await api.post('/setup', { token, name: text(form, 'name'), ...given });
        if ('value' in answer) await signIn(given, '/operator', () => setIsDone(true));
        return answer;
      }}
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
