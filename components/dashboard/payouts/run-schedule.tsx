'use client';
// Runs a payout schedule before its time. Only a sandbox shows it.

import { Button } from '@/components/ui/button';
import { useWords } from '@/components/ui/words';
import { useAction } from '@/components/dashboard/use-action';

export function RunSchedule({ api, network, currency }: { api: string; network: string; currency: string }) {
  const { t } = useWords();
  const { run, isPending } = useAction(
    (call, _: null) => call.post(`${api}/payout-schedules/run`, { network, currency }),
    {
      done: t('pscRunDone'),
    },
  );
  return (
    <Button size="small" isPending={isPending} onClick={() => void run(null)}>
      {t('pscRun')}
    </Button>
  );
}
