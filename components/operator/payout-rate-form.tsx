'use client';
// Sets what payouts cost, for all stores or for one. Sent as whole cents and hundredths of a percent.

import { useRouter } from 'next/navigation';
import { ActionForm } from '@/components/dashboard/action-form';
import type { Answer } from '@/components/dashboard/api';
import { TextInput } from '@/components/ui/field';
import { formText } from '@/components/ui/form-text';
import { useWords } from '@/components/ui/words';
import type { RateView } from '@/lib/payouts/rates/text';
import { centsOf } from './cents';
import { amountField, NetworkRuleFields, ruleField, type NetworkRule } from './network-rule-fields';

type Props = {
  /** Null: for every store without fees of its own. */
  readonly storeId: string | null;
  readonly networks: readonly string[];
  /** The newest decision, which the form begins with. */
  readonly current: RateView | null;
  /** What the last payouts cost each, by network. */
  readonly costs: Readonly<Partial<Record<string, string>>>;
  /** The least time before the start of higher fees. */
  readonly noticeHours: number;
};

const MAX_BASIS_POINTS = 1000;
const AMOUNTS = ['fixed', 'minimum'] as const;

export function PayoutRateForm({ storeId, networks, current, costs, noticeHours }: Props) {
  const { t, format } = useWords();
  const router = useRouter();
  const amount = { inputMode: 'decimal', autoComplete: 'off', maxLength: 9 } as const;
  return (
    <ActionForm
      send={async (api, form) => {
        /** Cents of a field; an empty one is 0. */
        const typed = (name: string) => centsOf(formText(form, name).trim() || '0');
        const points = Number(typed('share') ?? Number.NaN);
        if (!(points <= MAX_BASIS_POINTS)) return wrong('share', t('rateShareWrong'));
        const rules = networks.map((network) => [network, formText(form, ruleField(network))] as const);
        const by = (wanted: NetworkRule) =>
          rules.flatMap(([network, rule]) =>
            rule === wanted ? [[network, typed(amountField(network))] as const] : [],
          );
        const [fixedPrices, atCost] = [by('fixed'), by('at_cost')];
        const faulty =
          AMOUNTS.find((name) => typed(name) === null) ??
          [...fixedPrices, ...atCost]
            .flatMap(([network, cents]) => (cents === null || cents === '0' ? [amountField(network)] : []))
            .at(0);
        if (faulty) return wrong(faulty, t('operatorLimitsAmountWrong'));
        const day = formText(form, 'starts');
        return api.post('/operator/payout-rates', {
          store_id: storeId,
          terms: {
            basis_points: points,
            fixed: typed('fixed'),
            minimum: typed('minimum'),
            network_costs: Object.fromEntries(fixedPrices),
            at_cost: Object.fromEntries(atCost),
          },
          starts_at: day === '' ? null : `${day}T00:00:00Z`,
        });
      }}
      submit={t('rateSave')}
      done={t('uiSaved')}
      onDone={() => router.refresh()}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextInput
          name="share"
          label={t('rateShare')}
          hint={t('rateShareHint')}
          defaultValue={String((current?.basisPoints ?? 0) / 100)}
          required
          {...amount}
        />
        <TextInput
          name="starts"
          label={t('rateStarts')}
          hint={
            noticeHours === 0 ? t('rateStartsHint') : t('rateStartsNotice', { hours: format.wait(noticeHours * 3600) })
          }
          type="date"
          isOptional
        />
        <TextInput name="fixed" label={t('rateFixed')} defaultValue={current?.fixed ?? '0'} required {...amount} />
        <TextInput
          name="minimum"
          label={t('rateMinimum')}
          defaultValue={current?.minimum ?? '0'}
          required
          {...amount}
        />
      </div>
      {networks.map((network) => (
        <NetworkRuleFields key={network} {...{ network, current }} cost={costs[network] ?? null} />
      ))}
    </ActionForm>
  );
}

const wrong = (param: string, message: string): Answer<unknown> => ({
  fault: { code: 'INVALID_PARAMETER', message, param },
});
