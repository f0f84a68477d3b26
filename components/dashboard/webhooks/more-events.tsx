'use client';
// The optional events of an endpoint: one box each, all off until a merchant ticks them.

import { Checkbox } from '@/components/ui/checkbox';
import { useWords } from '@/components/ui/words';
import { OPTIONAL_EVENTS, type OptionalEventType } from '@/lib/webhooks/events/events';
import { ActionForm } from '@/components/dashboard/action-form';

const HINTS = {
  'payment.seen': 'hookMoreSeen',
  'payment.partial': 'hookMorePartial',
  'payment.exception': 'hookMoreException',
  'payout.paid': 'hookMorePayoutPaid',
  'payout.failed': 'hookMorePayoutFailed',
} as const satisfies Record<OptionalEventType, string>;

type Props = {
  readonly api: string;
  readonly chosen: readonly OptionalEventType[];
  readonly canChange: boolean;
};

export function MoreEvents({ api, chosen, canChange }: Props) {
  const { t } = useWords();
  return (
    <ActionForm
      send={(call, form) => call.post(`${api}/webhook/optional-events`, { events: form.getAll('events') })}
      submit={t('uiSave')}
      submitKind="secondary"
      done={t('uiSaved')}
      isReadOnly={!canChange}
    >
      <div>
        {OPTIONAL_EVENTS.map((type) => (
          <Checkbox
            key={type}
            name="events"
            value={type}
            label={<code>{type}</code>}
            hint={t(HINTS[type])}
            defaultChecked={chosen.includes(type)}
          />
        ))}
      </div>
    </ActionForm>
  );
}
