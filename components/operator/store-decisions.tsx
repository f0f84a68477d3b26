// The decisions that there are about a store, as buttons that ask first; each is offered in one status.

import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import type { StoreRow } from '@/lib/merchants/stores/read';
import { AskButton } from './ask-button';

const LONGEST_REASON = 1000;

export function StoreDecisions({ words: { t }, store }: { words: DashboardWords; store: StoreRow }) {
  const reason = {
    name: 'reason',
    label: t('operatorReason'),
    hint: t('operatorReasonHint'),
    longest: LONGEST_REASON,
  };
  return decisionsAbout(store.id).map(({ path, from, kind, isHarsh, verb, ask, text, done }) => (
    <AskButton
      key={verb}
      isOffered={store.status === from}
      trigger={t(verb)}
      triggerKind={kind}
      title={t(ask, { name: store.name })}
      text={t(text)}
      submit={t(verb)}
      submitKind={isHarsh ? 'danger' : 'primary'}
      done={t(done)}
      path={path}
      body={{ version: store.version }}
      field={{ ...reason, isRequired: isHarsh }}
    />
  ));
}

/** `isHarsh`: it takes something from the merchant, who is told why. */
const decisionsAbout = (id: string) =>
  [
    {
      path: `/operator/stores/${id}/reject`,
      from: 'pending',
      kind: 'secondary',
      isHarsh: true,
      verb: 'operatorReject',
      ask: 'operatorRejectAsk',
      text: 'operatorRejectText',
      done: 'operatorRejected',
    },
    {
      path: `/operator/stores/${id}/approve`,
      from: 'pending',
      kind: 'primary',
      isHarsh: false,
      verb: 'operatorApprove',
      ask: 'operatorApproveAsk',
      text: 'operatorApproveText',
      done: 'operatorApproved',
    },
    {
      path: `/operator/stores/${id}/suspend`,
      from: 'approved',
      kind: 'secondary',
      isHarsh: true,
      verb: 'operatorSuspend',
      ask: 'operatorSuspendAsk',
      text: 'operatorSuspendText',
      done: 'operatorSuspended',
    },
    {
      path: `/operator/stores/${id}/resume`,
      from: 'suspended',
      kind: 'primary',
      isHarsh: false,
      verb: 'operatorResume',
      ask: 'operatorResumeAsk',
      text: 'operatorResumeText',
      done: 'operatorResumed',
    },
  ] as const;
