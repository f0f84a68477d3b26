'use client';
// A form that is sent as JSON, with its fields by name. An error is shown beside its field or above the form. The
// button shows that the request is pending.

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
  /** Sends the form's data. */
  readonly send: (api: Api, form: FormData) => Promise<Answer<Value>>;
  readonly submit: string;
  readonly submitKind?: ButtonKind;
  readonly done?: string;
  readonly onDone?: (value: Value) => void;
  readonly isQuiet?: boolean;
  /** Empties the fields after success. */
  readonly isCleared?: boolean;
  readonly isWide?: boolean;
  /** Shows the fields and prevents sending. */
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
      // After rendering, so that focus lands on the first field with an error.
      if (!isDone) setTimeout(() => form.querySelector<HTMLElement>('[aria-invalid]')?.focus(), 0);
    });
  };
  const names = fault?.param ? { [fault.param]: faultText(fault) } : {};
  return (
    // The form cannot be sent before scripts run. If it were, POST would keep its fields out of the address.
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

/** A field's error stands at the field; this one is for screen readers only. */
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
