'use client';
// A form that is sent as JSON: its fields by name, the refusal beside the field it is about or above the form, and a button
// that says while it is on its way.

import { useState, type FormEvent, type ReactNode } from 'react';
import { Button, type ButtonKind } from '@/components/ui/button';
import { Note } from '@/components/ui/card';
import { FieldErrors } from '@/components/ui/field';
import { useIsInBrowser } from '@/components/ui/is-in-browser';
import type { Answer } from './api';
import { useFaultText } from './fault-text';
import { useAction } from './use-action';
import type { Api } from './step-up';

type Props<Value> = {
  /** Sends what the form holds. */
  readonly send: (api: Api, form: FormData) => Promise<Answer<Value>>;
  readonly submit: string;
  readonly submitKind?: ButtonKind;
  readonly done?: string;
  readonly onDone?: (value: Value) => void;
  readonly isQuiet?: boolean;
  /** Empties the fields when it is done. */
  readonly isCleared?: boolean;
  readonly isWide?: boolean;
  /** Shows the fields, and nothing can be sent. */
  readonly isReadOnly?: boolean;
  /** Beside the button. */
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
};

export function ActionForm<Value>(props: Props<Value>) {
  if (!props.isReadOnly) return <SendingForm {...props} />;
  return (
    <fieldset disabled className="grid gap-4">
      {props.children}
    </fieldset>
  );
}

function SendingForm<Value>(props: Props<Value>) {
  const {
    send,
    submit,
    submitKind = 'primary',
    done,
    onDone,
    isQuiet,
    isCleared = false,
    isWide = false,
    actions,
    children,
  } = props;
  const [round, setRound] = useState(0);
  const faultText = useFaultText();
  const isInBrowser = useIsInBrowser();
  const { run, isPending, fault } = useAction<FormData, Value>(send, {
    ...(done === undefined ? {} : { done }),
    ...(isQuiet === undefined ? {} : { isQuiet }),
    showsFault: true,
    onDone: (value) => {
      if (isCleared) setRound((last) => last + 1);
      onDone?.(value);
    },
  });
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    void run(new FormData(form)).then((isDone) => {
      // After drawing: the first field at fault is where the next key should go.
      if (!isDone) setTimeout(() => form.querySelector<HTMLElement>('[aria-invalid]')?.focus(), 0);
    });
  };
  const names = fault?.param ? { [fault.param]: faultText(fault) } : {};
  return (
    // Before scripts run it cannot be sent; if it were, by POST, it would not put what it holds into the address.
    <form key={round} method="post" onSubmit={onSubmit} className="grid gap-4">
      {fault && fault.code !== 'step_up_required' && <General {...{ fault: faultText(fault), param: fault.param }} />}
      <FieldErrors value={names}>{children}</FieldErrors>
      <div className={`form-actions ${isWide ? 'grid gap-2' : 'flex flex-wrap gap-2'}`}>
        <Button kind={submitKind} type="submit" disabled={!isInBrowser} isPending={isPending} isWide={isWide}>
          {submit}
        </Button>
        {actions}
      </div>
    </form>
  );
}

/** A fault of a field stands at the field, and is said here for screen readers only. */
function General({ fault, param }: { fault: string; param: string | null }) {
  if (param !== null)
    return (
      <p role="alert" className="only-read">
        {fault}
      </p>
    );
  return (
    <Note tone="bad" isAlert>
      {fault}
    </Note>
  );
}
