'use client';
// Signing in: a plain form to next-auth that works without scripts. With scripts, errors stay on the page, and a
// passkey can be used instead.

import { useState, type FormEvent } from 'react';
import { Button } from '@/components/ui/button';
import { Note } from '@/components/ui/card';
import { PasswordInput, TextInput } from '@/components/ui/field';
import { formText } from '@/components/ui/form-text';
import { useIsInBrowser } from '@/components/ui/is-in-browser';
import { Link } from '@/components/ui/link';
import { useWords } from '@/components/ui/words';
import { send } from '@/components/dashboard/api';
import { postForm, type AuthAnswer } from '@/components/dashboard/auth-form';
import { useFaultText } from '@/components/dashboard/fault-text';
import { requestPasskey } from '@/components/dashboard/passkey';

export const SIGN_IN_PATH = '/api/auth/callback/credentials';

type Props = {
  /** The address after sign-in; the server accepts only its own paths. */
  readonly callbackUrl: string;
  /** The error of the plain form. */
  readonly refusal: string | null;
  /** The plain form's CSRF token; null where scripts fetch it. */
  readonly token: string | null;
};

export function SignInForm({ callbackUrl, refusal, token }: Props) {
  const { t } = useWords();
  const faultText = useFaultText();
  // Sent without a token before the scripts work, the form would be refused.
  const isUsable = useIsInBrowser() || token !== null;
  const [pending, setPending] = useState<'password' | 'passkey' | null>(null);
  const [code, setCode] = useState(refusal);

  const finish = (answer: AuthAnswer) => {
    if ('url' in answer) return window.location.assign(answer.url);
    setPending(null);
    setCode(answer.code);
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (pending) return;
    setPending('password');
    const form = new FormData(event.currentTarget);
    const given = { email: formText(form, 'email'), password: formText(form, 'password') };
    void postForm(SIGN_IN_PATH, { ...given, callbackUrl }).then(finish);
  };
  const usePasskey = async () => {
    setPending('passkey');
    const answer = await requestPasskey(send, '/passkeys/sign-in/options');
    if (answer) return finish(await postForm(SIGN_IN_PATH, { passkey: JSON.stringify(answer), callbackUrl }));
    setPending(null);
    setCode('passkey');
  };
  return (
    <div className="grid gap-4">
      {code !== null && (
        <Note tone="bad" isAlert>
          {code === 'passkey' ? t('authPasskeyFailed') : faultText({ code })}
        </Note>
      )}
      <form method="post" action={SIGN_IN_PATH} onSubmit={submit} className="grid gap-4">
        {token !== null && <input type="hidden" name="csrfToken" value={token} />}
        <input type="hidden" name="callbackUrl" value={callbackUrl} />
        <TextInput
          name="email"
          label={t('authEmail')}
          type="email"
          autoComplete="username webauthn"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={254}
          required
        />
        <PasswordInput
          name="password"
          label={t('authPassword')}
          autoComplete="current-password"
          required
          corner={
            <Link href="/reset" className="text-[0.8125rem] font-semibold no-underline hover:underline">
              {t('authForgot')}
            </Link>
          }
        />
        <Button kind="primary" type="submit" isWide isPending={pending === 'password'} disabled={!isUsable}>
          {t('authSignIn')}
        </Button>
      </form>
      <div className="needs-scripts grid gap-4">
        <p className="flex items-center gap-3 text-[0.8125rem] text-muted before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
          {t('authOr')}
        </p>
        <Button icon="keys" isWide isPending={pending === 'passkey'} onClick={() => void usePasskey()}>
          {t('authPasskey')}
        </Button>
      </div>
    </div>
  );
}
