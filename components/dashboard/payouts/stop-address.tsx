'use client';
// Stops a payout address after a question that shows it in full.

import { Address } from '@/components/ui/address';
import { Confirm } from '@/components/ui/dialog';
import { useWords } from '@/components/ui/words';
import { useAction } from '@/components/dashboard/use-action';

export function StopPayoutAddress({ api, id, address }: { api: string; id: string; address: string }) {
  const { t } = useWords();
  const { run } = useAction((call, _: null) => call.post(`${api}/payout-addresses/${id}/stop`), {
    done: t('padStopDone'),
  });
  return (
    <Confirm
      trigger={t('padStop')}
      isSmall
      title={t('padStopTitle')}
      text={t('padStopText')}
      confirm={t('padStop')}
      isDangerous
      onConfirm={() => run(null)}
    >
      <Address text={address} />
    </Confirm>
  );
}
