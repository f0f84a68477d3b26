'use client';
// Sends an event again, as it was.

import { Button } from '@/components/ui/button';
import { useWords } from '@/components/ui/words';
import { useAction } from '../use-action';

export function Resend({ api, id }: { api: string; id: string }) {
  const { t } = useWords();
  const { run, isPending } = useAction((call, _: null) => call.post(`${api}/events/${id}/resend`), {
    done: t('evtResent'),
  });
  return (
    <Button size="small" icon="retry" isPending={isPending} onClick={() => void run(null)}>
      {t('evtResend')}
    </Button>
  );
}
