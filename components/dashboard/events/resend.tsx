'use client';
// Sends an event again, unchanged: by a button, or by the menu of a row in a list.

import { Button } from '@/components/ui/button';
import { RowMenu } from '@/components/ui/row-menu';
import { useWords } from '@/components/ui/words';
import { useAction } from '@/components/dashboard/use-action';

type Props = { readonly api: string; readonly id: string };

export function Resend(props: Props) {
  const { t } = useWords();
  const { run, isPending } = useResend(props);
  return (
    <Button size="small" icon="retry" isPending={isPending} onClick={() => void run(null)}>
      {t('evtResend')}
    </Button>
  );
}

/** `name`: of the row. */
export function ResendMenu({ name, ...of }: Props & { readonly name: string }) {
  const { t } = useWords();
  const { run } = useResend(of);
  return (
    <RowMenu
      name={name}
      entries={[{ kind: 'action', label: t('evtResend'), icon: 'retry', onSelect: () => void run(null) }]}
    />
  );
}

function useResend({ api, id }: Props) {
  const { t } = useWords();
  return useAction((call, _: null) => call.post(`${api}/events/${id}/resend`), { done: t('evtResent') });
}
