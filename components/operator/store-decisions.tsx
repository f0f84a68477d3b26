// The decisions that there are about a store in its state, as buttons that ask first.

import type { ButtonKind } from '@/components/ui/button';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import type { StoreRow } from '@/lib/stores/read';
import { AskButton } from './ask-button';

const LONGEST_REASON = 1000;

const DECISIONS = ['reject', 'approve', 'suspend', 'resume'] as const;

type Decision = (typeof DECISIONS)[number];

const POSSIBLE: Readonly<Record<StoreRow['status'], readonly Decision[]>> = {
  pending: ['reject', 'approve'],
  approved: ['suspend'],
  suspended: ['resume'],
  rejected: [],
};
const WORDS = {
  approve: {
    verb: 'operatorApprove',
    ask: 'operatorApproveAsk',
    text: 'operatorApproveText',
    done: 'operatorApproved',
  },
  reject: { verb: 'operatorReject', ask: 'operatorRejectAsk', text: 'operatorRejectText', done: 'operatorRejected' },
  suspend: {
    verb: 'operatorSuspend',
    ask: 'operatorSuspendAsk',
    text: 'operatorSuspendText',
    done: 'operatorSuspended',
  },
  resume: { verb: 'operatorResume', ask: 'operatorResumeAsk', text: 'operatorResumeText', done: 'operatorResumed' },
} as const;
const TRIGGERS: Readonly<Record<Decision, ButtonKind>> = {
  approve: 'primary',
  reject: 'secondary',
  suspend: 'danger',
  resume: 'primary',
};
/** Takes something from the merchant, who is told why. */
const isHarsh = (decision: Decision): boolean => decision === 'reject' || decision === 'suspend';

export function StoreDecisions({ words: { t }, store }: { words: DashboardWords; store: StoreRow }) {
  const reason = {
    name: 'reason',
    label: t('operatorReason'),
    hint: t('operatorReasonHint'),
    longest: LONGEST_REASON,
  };
  return DECISIONS.map((decision) => {
    const { verb, ask, text, done } = WORDS[decision];
    return (
      <AskButton
        key={decision}
        isOffered={POSSIBLE[store.status].includes(decision)}
        trigger={t(verb)}
        triggerKind={TRIGGERS[decision]}
        title={t(ask, { name: store.name })}
        text={t(text)}
        submit={t(verb)}
        submitKind={isHarsh(decision) ? 'danger' : 'primary'}
        done={t(done)}
        path={`/operator/stores/${store.id}/${decision}`}
        body={{ version: store.version }}
        field={isHarsh(decision) ? { ...reason, isRequired: true } : reason}
      />
    );
  });
}
