// The decisions that there are about a store in its state, as buttons that ask first.

import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import type { StoreRow } from '@/lib/stores/read';
import { AskButton } from './ask-button';

const LONGEST_REASON = 1000;

export function StoreDecisions({ words: { t }, store }: { words: DashboardWords; store: StoreRow }) {
  const about = { path: `/operator/stores/${store.id}`, body: { version: store.version }, name: store.name };
  const reason = {
    name: 'reason',
    label: t('operatorReason'),
    hint: t('operatorReasonHint'),
    longest: LONGEST_REASON,
  };
  if (store.status === 'pending') {
    return (
      <>
        <AskButton
          trigger={t('operatorReject')}
          title={t('operatorRejectAsk', { name: about.name })}
          text={t('operatorRejectText')}
          submit={t('operatorReject')}
          submitKind="danger"
          done={t('operatorRejected')}
          path={`${about.path}/reject`}
          body={about.body}
          field={{ ...reason, isRequired: true }}
        />
        <AskButton
          trigger={t('operatorApprove')}
          triggerKind="primary"
          title={t('operatorApproveAsk', { name: about.name })}
          text={t('operatorApproveText')}
          submit={t('operatorApprove')}
          done={t('operatorApproved')}
          path={`${about.path}/approve`}
          body={about.body}
          field={reason}
        />
      </>
    );
  }
  if (store.status === 'approved') {
    return (
      <AskButton
        trigger={t('operatorSuspend')}
        triggerKind="danger"
        title={t('operatorSuspendAsk', { name: about.name })}
        text={t('operatorSuspendText')}
        submit={t('operatorSuspend')}
        submitKind="danger"
        done={t('operatorSuspended')}
        path={`${about.path}/suspend`}
        body={about.body}
        field={{ ...reason, isRequired: true }}
      />
    );
  }
  if (store.status === 'suspended') {
    return (
      <AskButton
        trigger={t('operatorResume')}
        triggerKind="primary"
        title={t('operatorResumeAsk', { name: about.name })}
        text={t('operatorResumeText')}
        submit={t('operatorResume')}
        done={t('operatorResumed')}
        path={`${about.path}/resume`}
        body={about.body}
        field={reason}
      />
    );
  }
  return null;
}
