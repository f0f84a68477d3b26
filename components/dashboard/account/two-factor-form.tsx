'use client';
// The second step of signing in: a code, a recovery code, or a passkey. next-auth's cookie remembers where to go then.

import { useState, type FormEvent } from 'react';
import { Button } from '@/components/ui/button';
import { Note } from '@/components/ui/card';
import { TextInput } from '@/components/ui/field';
import { useWords } from '@/components/ui/words';
import { send } from '../api';
import { postForm, type AuthAnswer } from '../auth-form';
import { useFaultText } from '../fault-text';
import { askPasskey } from '../passkey';
import { signOut } from '../sign-out';
import { SIGN_IN_PATH } from './sign-in-form';

export function TwoFactorForm({ hasPasskeys, refusal }: { hasPasskeys: boolean; refusal: string | null }) {
  const { t } = useWords();
  const faultText = useFaultText();
  const [isPending, setIsPending] = useState(false);
  const [code, setCode] = useState(refusal);

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
    const given = String(new FormData(event.currentTarget).get('code') ?? '');
    void postForm(SIGN_IN_PATH, { code: given }).then(finish);
  };
  const usePasskey = async () => {
    setIsPending(true);
    const answer = await askPasskey(send);
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
          autoFocus
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
        <Button kind="quiet" isWide onClick={() => void signOut()}>
          {t('authTwoFactorOther')}
        </Button>
      </div>
    </div>
  );
}
