'use client';
// The networks and tokens that the operator allows a store to offer. All checked means no restriction, also for networks that come later.

import { ActionForm } from '@/components/dashboard/action-form';
import { useStoreVersion } from '@/components/dashboard/stores/use-store-version';
import { Checkbox, Choices } from '@/components/ui/checkbox';
import { useWords } from '@/components/ui/words';
import { networkName } from './names';

type Pair = { readonly network: string; readonly currency: string };
type Props = {
  readonly storeId: string;
  readonly version: number;
  /** Every pair of this installation. */
  readonly pairs: readonly Pair[];
  readonly allowed: readonly string[];
};

const nameOf = ({ network, currency }: Pair): string => `${network}-${currency}`;

export function StorePairs({ storeId, version, pairs, allowed }: Props) {
  const { t } = useWords();
  const handleVersionConflict = useStoreVersion();
  return (
    <ActionForm
      send={async (api, form) => {
        const chosen = form.getAll('allowed_pairs');
        if (chosen.length === 0)
          return {
            fault: { code: 'INVALID_PARAMETER', message: t('operatorPairsNone'), param: 'allowed_pairs' },
          };
        const body = { version, allowed_pairs: chosen.length === pairs.length ? [] : chosen };
        return handleVersionConflict(await api.post(`/operator/stores/${storeId}/pairs`, body));
      }}
      submit={t('operatorPairsSave')}
      done={t('uiSaved')}
    >
      <Choices label={t('operatorPairs')}>
        {pairs.map((pair) => (
          <Checkbox
            key={nameOf(pair)}
            name="allowed_pairs"
            value={nameOf(pair)}
            label={`${networkName(t, pair.network)} · ${pair.currency}`}
            defaultChecked={allowed.length === 0 || allowed.includes(nameOf(pair))}
          />
        ))}
      </Choices>
    </ActionForm>
  );
}
