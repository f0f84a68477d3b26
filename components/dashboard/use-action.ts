'use client';
// One action of a page: its pending state, its error, and the message after success. The page's data is then read again
// from the server; nothing is guessed.

import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { useToast } from '@/components/ui/toast';
import type { Answer, Fault } from './api';
import { useFaultText } from './fault-text';
import { useApi, type Api } from './step-up';

type Options<Value> = {
  /** The message after success. */
  readonly done?: string;
  readonly onDone?: (value: Value) => void;
  /** Leaves the page's data unchanged. */
  readonly isQuiet?: boolean;
  /** Leaves the error message to the caller, who shows `fault`. */
  readonly showsFault?: boolean;
};

export function useAction<Input, Value>(
  work: (api: Api, input: Input) => Promise<Answer<Value>>,
  { done, onDone, isQuiet = false, showsFault = false }: Options<Value> = {},
) {
  const api = useApi();
  const toast = useToast();
  const router = useRouter();
  const faultText = useFaultText();
  const [isPending, setIsPending] = useState(false);
  const [fault, setFault] = useState<Fault | null>(null);

  /** Resolves to whether the action succeeded. */
  const run = async (input: Input): Promise<boolean> => {
    if (isPending) return false;
    setIsPending(true);
    setFault(null);
    const answer = await work(api, input).finally(() => setIsPending(false));
    if ('fault' in answer) {
      setFault(answer.fault);
      // A user who canceled the step-up needs no message about it.
      if (!showsFault && answer.fault.code !== 'step_up_required') toast(faultText(answer.fault), 'bad');
      return false;
    }
    if (done !== undefined) toast(done);
    onDone?.(answer.value);
    if (!isQuiet) router.refresh();
    return true;
  };
  return { run, isPending, fault };
}
