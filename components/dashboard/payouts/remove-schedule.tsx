'use client';
// Removes a payout schedule after a question.

import { Confirm } from '@/components/ui/dialog';
import { useWords } from '@/components/ui/words';
import { useNetworkName } from '@/components/dashboard/payments/status';
import { useAction } from '@/components/dashboard/use-action';

export function RemoveSchedule({ api, network, currency }: { api: string; network: string; currency: string }) {
  const { t } = useWords();
  const networkName = useNetworkName();
  const { run } = useAction((call, _: null) => call.post(`${api}/payout-schedules/remove`, { network, currency }), {
    done: t('pscRemoved'),
  });
  return (
    <Confirm
      trigger={t('pscRemove')}
      isSmall
      title={t('pscRemoveTitle')}
      text={t('pscRemoveText', { currency, network: networkName(network) })}
      confirm={t('pscRemove')}
      isDangerous
      onConfirm={() => run(null)}
    />
  );
}
