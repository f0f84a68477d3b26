'use client';
// Says that an endpoint is paused, why and since when, and what to do. Members who may resume it get a button.

import { Button, ButtonLink } from '@/components/ui/button';
import { Note } from '@/components/ui/card';
import { useToast } from '@/components/ui/toast';
import { useWords } from '@/components/ui/words';
import type { Pause } from '@/lib/webhooks/endpoint/health';
import { useAction } from '@/components/dashboard/use-action';

type PauseFacts = {
  readonly reason: Pause['reason'];
  /** Unix seconds. */
  readonly pausedAt: number;
  readonly waiting: number;
};

type Props = { readonly pause: PauseFacts; readonly api: string; readonly base: string; readonly canChange: boolean };

export function PauseNote({ pause, api, base, canChange }: Props) {
  const { t, format } = useWords();
  const toast = useToast();
  const resume = useAction((call, _: null) => call.post<{ replayed: number }>(`${api}/webhook/resume`), {
    onDone: ({ replayed }) => toast(t('hookResumed', { count: replayed })),
  });
  return (
    <Note tone={pause.reason === 'requested' ? 'warn' : 'bad'} title={t('hookPaused')}>
      <p>
        {t(`hookPaused_${pause.reason}`, { date: format.minute(pause.pausedAt) })}{' '}
        {t('hookPausedWaiting', { count: pause.waiting })}
      </p>
      {pause.reason !== 'requested' && <p className="mt-1">{t('hookPausedDo')}</p>}
      {!canChange && <p className="mt-1">{t('hookPausedRole')}</p>}
      <div className="mt-2 flex flex-wrap gap-2">
        {canChange && (
          <Button kind="primary" size="small" isPending={resume.isPending} onClick={() => void resume.run(null)}>
            {t('hookResume')}
          </Button>
        )}
        <ButtonLink href={`${base}/webhooks/deliveries?status=failed`} size="small">
          {t('hookPausedSee')}
        </ButtonLink>
      </div>
    </Note>
  );
}
