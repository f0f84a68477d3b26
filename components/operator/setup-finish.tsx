'use client';
// Ends the set-up: the installation restarts with its settings, and then the page opens the console.

import { useEffect, useState } from 'react';
import { ActionForm } from '@/components/dashboard/action-form';
import { send } from '@/components/dashboard/api';
import { Note } from '@/components/ui/card';
import { useWords } from '@/components/ui/words';

const POLL_MILLISECONDS = 1500;

/** `missing`: the steps to complete first, in words. */
export function SetupFinish({ missing }: { missing: string | null }) {
  const { t } = useWords();
  const [isFinished, setIsFinished] = useState(false);
  useEffect(() => {
    if (!isFinished) return;
    const timer = setInterval(() => void openConsoleWhenRestarted(), POLL_MILLISECONDS);
    return () => clearInterval(timer);
  }, [isFinished]);
  if (isFinished)
    return (
      <div role="status">
        <Note tone="info">{t('setupFinishing')}</Note>
      </div>
    );
  if (missing !== null) return <Note tone="warn">{missing}</Note>;
  return (
    <ActionForm
      send={(api) => api.post('/operator/setup/finish')}
      onDone={() => setIsFinished(true)}
      submit={t('setupFinish')}
      isQuiet
    />
  );
}

/** The process that ended the set-up still has it; the restarted process does not. */
async function openConsoleWhenRestarted(): Promise<void> {
  const answer = await send('GET', '/operator/setup');
  if ('fault' in answer && ['NOT_FOUND', 'not_signed_in'].includes(answer.fault.code))
    window.location.assign('/operator?finished');
}
