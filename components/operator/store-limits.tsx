'use client';
// The limits of a store: empty means no limit of its own. Sent as whole cents, with the version that was shown.

import { ActionForm } from '@/components/dashboard/action-form';
import type { Answer } from '@/components/dashboard/api';
import { useStoreVersion } from '@/components/dashboard/stores/use-store-version';
import { TextInput } from '@/components/ui/field';
import { formText } from '@/components/ui/form-text';
import { useWords } from '@/components/ui/words';
import { centsOf } from './cents';

type Props = {
  readonly storeId: string;
  readonly version: number;
  /** Decimal texts; empty without a limit. */
  readonly sessionLimit: string;
  readonly dayLimit: string;
  readonly refundDayLimit: string;
  readonly refundWindowDays: number;
  readonly payoutHoldHours: number;
};

const AMOUNTS = ['session_limit', 'day_limit', 'refund_day_limit'] as const;

export function StoreLimits({ storeId, version, ...of }: Props) {
  const { t } = useWords();
  const handleVersionConflict = useStoreVersion();
  const wrong = (param: string): Answer<unknown> => ({
    fault: { code: 'INVALID_PARAMETER', message: t('operatorLimitsAmountWrong'), param },
  });
  const amount = { inputMode: 'decimal', autoComplete: 'off', maxLength: 24 } as const;
  return (
    <ActionForm
      send={async (api, form) => {
        const typed = (name: string) => formText(form, name);
        const faulty = AMOUNTS.find((name) => typed(name).trim() !== '' && centsOf(typed(name)) === null);
        if (faulty) return wrong(faulty);
        if (centsOf(typed('refund_day_limit')) === null) return wrong('refund_day_limit');
        const limits = {
          version,
          session_limit: centsOf(typed('session_limit')),
          day_limit: centsOf(typed('day_limit')),
          refund_day_limit: centsOf(typed('refund_day_limit')),
          refund_window_days: Number(typed('refund_window_days')),
          payout_hold_hours: Number(typed('payout_hold_hours')),
        };
        return handleVersionConflict(await api.post(`/operator/stores/${storeId}/limits`, limits));
      }}
      submit={t('operatorLimitsSave')}
      done={t('uiSaved')}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextInput
          name="session_limit"
          label={t('operatorLimitSession')}
          hint={t('operatorLimitSessionHint')}
          defaultValue={of.sessionLimit}
          isOptional
          {...amount}
        />
        <TextInput
          name="day_limit"
          label={t('operatorLimitDay')}
          hint={t('operatorLimitDayHint')}
          defaultValue={of.dayLimit}
          isOptional
          {...amount}
        />
        <TextInput
          name="refund_day_limit"
          label={t('operatorLimitRefundDay')}
          hint={t('operatorLimitRefundDayHint')}
          defaultValue={of.refundDayLimit}
          required
          {...amount}
        />
        <TextInput
          name="refund_window_days"
          label={t('operatorLimitWindow')}
          hint={t('operatorLimitWindowHint')}
          defaultValue={String(of.refundWindowDays)}
          type="number"
          min={0}
          max={3650}
          required
        />
        <TextInput
          name="payout_hold_hours"
          label={t('operatorLimitHold')}
          hint={t('operatorLimitHoldHint')}
          defaultValue={String(of.payoutHoldHours)}
          type="number"
          min={0}
          max={720}
          required
        />
      </div>
    </ActionForm>
  );
}
