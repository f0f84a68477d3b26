'use client';
// Requests password and second factor again before changes to keys, webhooks, limits or money. It opens when the server
// requires it, and then repeats the refused request once.

import { createContext, useCallback, useContext, useRef, useState, type FormEvent, type ReactNode } from 'react';
import { Button } from '@/components/ui/button';
import { Note } from '@/components/ui/card';
import { Dialog, DialogActions } from '@/components/ui/dialog';
import { PasswordInput, TextInput } from '@/components/ui/field';
import { formText } from '@/components/ui/form-text';
import { useWords } from '@/components/ui/words';
import { goToSignIn, send, type Answer, type Fault, type Send } from './api';
import { useFaultText } from './fault-text';
import { requestPasskey } from './passkey';
import { useViewer } from './viewer';

const StepUpContext = createContext<() => Promise<boolean>>(() => Promise.resolve(false));

export function StepUpProvider({ children }: { children: ReactNode }) {
  const [isOpen, setIsOpen] = useState(false);
  const answered = useRef<(isShown: boolean) => void>(undefined);
  const confirm = useCallback(
    () =>
      new Promise<boolean>((resolve) => {
        answered.current?.(false);
        answered.current = resolve;
        setIsOpen(true);
      }),
    [],
  );
  const close = (isShown: boolean) => {
    setIsOpen(false);
    answered.current?.(isShown);
    answered.current = undefined;
  };
  return (
    <StepUpContext value={confirm}>
      {children}
      <StepUpDialog isOpen={isOpen} onClose={close} />
    </StepUpContext>
  );
}

export type Api = {
  readonly get: <Value = unknown>(path: string) => Promise<Answer<Value>>;
  readonly post: <Value = unknown>(path: string, body?: object) => Promise<Answer<Value>>;
  readonly patch: <Value = unknown>(path: string, body?: object) => Promise<Answer<Value>>;
};

/** Sends requests, steps up where the server requires it, and leads signed-out users to the sign-in page. */
export function useApi(): Api {
  const confirm = useContext(StepUpContext);
  const complete: Send = async (method, path, body) => {
    let first = await send<never>(method, path, body);
    // A step-up in another tab changes the login's value. A pending request still carried the former one.
    if (isSignedOut(first)) first = await send<never>(method, path, body);
    if (!('fault' in first)) return first;
    if (first.fault.code === 'step_up_required' && (await confirm())) return send(method, path, body);
    if (isSignedOut(first)) goToSignIn();
    return first;
  };
  return {
    get: (path) => complete('GET', path),
    post: (path, body) => complete('POST', path, body),
    patch: (path, body) => complete('PATCH', path, body),
  };
}

const isSignedOut = (answer: Answer<unknown>): boolean => 'fault' in answer && answer.fault.code === 'not_signed_in';

function StepUpDialog({ isOpen, onClose }: { isOpen: boolean; onClose: (isShown: boolean) => void }) {
  const { t } = useWords();
  const viewer = useViewer();
  const faultText = useFaultText();
  const [isPending, setIsPending] = useState(false);
  const [fault, setFault] = useState<Fault | null>(null);

  const show = async (proof: object | null) => {
    const answer = proof && (await send('POST', '/account/step-up', proof));
    setIsPending(false);
    if (answer && 'fault' in answer) return setFault(answer.fault);
    setFault(null);
    if (answer) onClose(true);
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isPending) return;
    const form = new FormData(event.currentTarget);
    const [password, code] = [formText(form, 'password'), formText(form, 'code').trim()];
    setIsPending(true);
    void show({ password, ...(code === '' ? {} : { code }) });
  };
  // A passkey with user verification replaces password and second factor at once.
  const usePasskey = () => {
    setIsPending(true);
    void requestPasskey(send).then((passkey) => show(passkey && { passkey }));
  };
  const hasFactor = viewer !== null && (viewer.hasTotp || viewer.hasPasskeys);
  return (
    <Dialog isOpen={isOpen} onClose={() => onClose(false)} title={t('stepUpTitle')} text={t('stepUpText')} isAbove>
      <form onSubmit={submit} className="grid gap-4">
        {fault && (
          <Note tone="bad" isAlert>
            {faultText(fault)}
          </Note>
        )}
        {viewer?.hasPasskeys && (
          <Button kind="primary" icon="keys" isWide isPending={isPending} onClick={usePasskey} data-focus-first>
            {t('stepUpPasskey')}
          </Button>
        )}
        <input type="hidden" name="username" autoComplete="username" value={viewer?.email ?? ''} readOnly />
        <PasswordInput name="password" label={t('authPassword')} autoComplete="current-password" required />
        {hasFactor && (
          <TextInput
            name="code"
            label={t('authCode')}
            hint={t('authCodeHint')}
            autoComplete="one-time-code"
            maxLength={40}
            required
          />
        )}
        <DialogActions>
          <Button onClick={() => onClose(false)}>{t('uiCancel')}</Button>
          <Button kind={viewer?.hasPasskeys ? 'secondary' : 'primary'} type="submit" isPending={isPending}>
            {t('stepUpGo')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
