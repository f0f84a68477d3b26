'use client';
// Who pays the network cost of payouts on one network: the operator, the store at a fixed price, or the store what its payouts really cost,
// up to a bound.

import { useState } from 'react';
import { useNetworkName } from '@/components/dashboard/payments/status';
import { TextInput } from '@/components/ui/field';
import { Select } from '@/components/ui/select';
import { useWords } from '@/components/ui/words';
import type { RateView } from '@/lib/payouts/rates/text';

const RULES = ['operator', 'fixed', 'at_cost'] as const;
export type NetworkRule = (typeof RULES)[number];

export const ruleField = (network: string): string => `rule_${network}`;
export const amountField = (network: string): string => `network_${network}`;

type Props = {
  readonly network: string;
  readonly current: RateView | null;
  /** What the last payouts cost each; null when that is not known. */
  readonly cost: string | null;
};

export function NetworkRuleFields({ network, current, cost }: Props) {
  const { t, format } = useWords();
  const name = useNetworkName()(network);
  const fixed = current?.networkCosts.find((one) => one.network === network)?.amount;
  const most = current?.atCost.find((one) => one.network === network)?.most;
  const [rule, setRule] = useState<NetworkRule>(most ? 'at_cost' : fixed ? 'fixed' : 'operator');
  const unknown = rule === 'at_cost' ? t('rateCostUnknown') : undefined;
  const hint = cost === null ? unknown : t('rateCostNow', { amount: format.amount(cost) });
  return (
    <div className="grid gap-4 sm:grid-cols-2" data-network-rule={network}>
      <Select
        name={ruleField(network)}
        label={t('rateNetwork', { network: name })}
        hint={hint}
        value={rule}
        onChange={(event) => setRule(event.currentTarget.value as NetworkRule)}
        options={RULES.map((value) => ({ value, label: t(`rateRule_${value}`) }))}
      />
      {rule !== 'operator' && (
        <TextInput
          key={rule}
          name={amountField(network)}
          label={t(rule === 'fixed' ? 'rateRulePrice' : 'rateRuleMost')}
          defaultValue={(rule === 'fixed' ? fixed : most) ?? ''}
          required
          inputMode="decimal"
          autoComplete="off"
          maxLength={9}
        />
      )}
    </div>
  );
}
