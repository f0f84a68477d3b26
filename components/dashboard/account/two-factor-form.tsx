'use client';
// The second step of signing in: a code, a recovery code, or a passkey. next-auth's cookie holds the next address.

import { useEffect, useRef, useState, type FormEvent } from 'react';
import { Button } from '@/components/ui/button';
import { Note } from '@/components/ui/card';
import { TextInput } from '@/components/ui/field';
import { formText } from '@/components/ui/form-text';
import { useWords } from '@/components/ui/words';
import { send } from '@/components/dashboard/api';
import { postForm, type AuthAnswer } from '@/components/dashboard/auth-form';
import { useFaultText } from '@/components/dashboard/fault-text';
import { requestPasskey } from '@/components/dashboard/passkey';
import { signOut } from '@/components/dashboard/sign-out';
import { SIGN_IN_PATH } from './sign-in-form';

type Props = {
  readonly hasPasskeys: boolean;
  /** The plain form's error and CSRF token. */
  readonly refusal: string | null;
  readonly token: string | null;
};

export function TwoFactorForm({ hasPasskeys, refusal, token }: Props) {
  const { t } = useWords();
  const faultText = useFaultText();
  const [isPending, setIsPending] = useState(false);
  const [code, setCode] = useState(refusal);

  // The only action on this page, and no content before it would be skipped.
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);

  const finish = (answer: AuthAnswer) => {
    if ('url' in answer) return window.location.assign(answer.url);
    setIsPending(false);
    // The first step was too long ago.
    if (answer.code === 'not_signed_in') return window.location.assign('/login');
    setCode(answer.code);
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isPending) return;
    setIsPending(true);
    const given = formText(new FormData(event.currentTarget), 'code');
    void postForm(SIGN_IN_PATH, { code: given }).then(finish);
  };
  const usePasskey = async () => {
    setIsPending(true);
    const answer = await requestPasskey(send);
    if (answer) return finish(await postForm(SIGN_IN_PATH, { passkey: JSON.stringify(answer) }));
    setIsPending(false);
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
        <TextInput
          name="code"
          label={t('authCode')}
          hint={t('authCodeHint')}
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
          maxLength={40}
          isMono
          required
          ref={field}
        />
        <Button kind="primary" type="submit" isWide isPending={isPending}>
          {t('authTwoFactorGo')}
        </Button>
      </form>
      <div className="needs-scripts grid gap-2">
        {hasPasskeys && (
          <Button icon="keys" isWide isPending={isPending} onClick={() => void usePasskey()}>
            {t('stepUpPasskey')}
          </Button>
        )}
        <Button kind="quiet" isWide onClick={() => void signOut().then(setCode)}>
          {t('authTwoFactorOther')}
        </Button>
      </div>
    </div>
  );
}
