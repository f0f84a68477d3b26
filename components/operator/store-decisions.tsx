// The decisions about a store, as buttons and as a row's menu that ask for confirmation; each is offered in one status.

import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import type { StoreRow } from '@/lib/merchants/stores/read';
import { ConfirmButton, ConfirmMenu } from './confirm-button';

const LONGEST_REASON = 1000;

type Words = Pick<DashboardWords, 't'>;

export function StoreDecisions({ words: { t }, store }: { words: Words; store: StoreRow }) {
  return decisionsAbout(store.id).map(({ from, kind, ...decision }) => (
    <ConfirmButton
      key={decision.verb}
      isOffered={store.status === from}
      triggerKind={kind}
      {...confirmationOf({ t }, store, decision)}
    />
  ));
}

/** A row's links, and suspending or resuming. A new store is approved or rejected on its page, with details. */
export function StoreMenu({ words: { t }, store }: { words: Words; store: StoreRow }) {
  const decisions = decisionsAbout(store.id).filter(({ from }) => from === store.status && from !== 'pending');
  return (
    <ConfirmMenu
      name={store.name}
      links={[
        {
          kind: 'link',
          icon: 'payments',
          label: t('navPayments'),
          href: `/operator/all-payments?store=${encodeURIComponent(store.id)}`,
        },
        {
          kind: 'link',
          icon: 'eye',
          label: t('operatorAsMerchant'),
          href: `/dashboard/${encodeURIComponent(store.id)}/live/overview`,
        },
      ]}
      actions={decisions.map((decision) => confirmationOf({ t }, store, decision))}
    />
  );
}

type Decision = Omit<ReturnType<typeof decisionsAbout>[number], 'from' | 'kind'>;

function confirmationOf({ t }: Words, store: StoreRow, { path, isHarsh, verb, title, text, done }: Decision) {
  return {
    trigger: t(verb),
    title: t(title, { name: store.name }),
    text: t(text),
    submitKind: isHarsh ? ('danger' as const) : ('primary' as const),
    done: t(done),
    path,
    body: { version: store.version },
    field: {
      name: 'reason',
      label: t('operatorReason'),
      hint: t('operatorReasonHint'),
      longest: LONGEST_REASON,
      isRequired: isHarsh,
    },
  };
}

/** `isHarsh`: it takes something from the merchant, who reads the reason. */
const decisionsAbout = (id: string) =>
  [
    {
      path: `/operator/stores/${id}/reject`,
      from: 'pending',
      kind: 'secondary',
      isHarsh: true,
      verb: 'operatorReject',
      title: 'operatorRejectTitle',
      text: 'operatorRejectText',
      done: 'operatorRejected',
    },
    {
      path: `/operator/stores/${id}/approve`,
      from: 'pending',
      kind: 'primary',
      isHarsh: false,
      verb: 'operatorApprove',
      title: 'operatorApproveTitle',
      text: 'operatorApproveText',
      done: 'operatorApproved',
    },
    {
      path: `/operator/stores/${id}/suspend`,
      from: 'approved',
      kind: 'secondary',
      isHarsh: true,
      verb: 'operatorSuspend',
      title: 'operatorSuspendTitle',
      text: 'operatorSuspendText',
      done: 'operatorSuspended',
    },
    {
      path: `/operator/stores/${id}/resume`,
      from: 'suspended',
      kind: 'primary',
      isHarsh: false,
      verb: 'operatorResume',
      title: 'operatorResumeTitle',
      text: 'operatorResumeText',
      done: 'operatorResumed',
    },
  ] as const;
