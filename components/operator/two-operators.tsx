// The buttons of an action that needs two operators: the first requests it, another one approves, either declines. Each
// sees what it is about before they press anything.

import type { ReactNode } from 'react';
import type { ButtonKind } from '@/components/ui/button';
import { Fact, Facts } from '@/components/ui/card';
import type { HeldRefund } from '@/lib/dashboard/operator/refunds';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import { ConfirmButton } from './confirm-button';
import { networkIn } from './names';

/** The progress of the agreement. */
type Agreement = {
  readonly digest: string;
  readonly requestedBy: { readonly userId: string; readonly name: string } | null;
  readonly declined: { readonly name: string } | null;
};

type Confirmation = {
  readonly trigger: string;
  readonly title: string;
  readonly text: string;
  readonly submit: string;
};

type Props = {
  readonly words: DashboardWords;
  readonly agreement: Agreement;
  readonly viewerId: string;
  /** Below /api/dashboard; receives the move, the displayed state and a note. */
  readonly path: string;
  readonly kind: ButtonKind;
  readonly request: Confirmation;
  readonly approve: Confirmation & { readonly submitKind?: ButtonKind; readonly done: string };
  readonly declineTitle: string;
  /** The requester, if another operator. */
  readonly requestedByText: (name: string) => string;
  /** `isRequired`: to request and to approve. */
  readonly note: { readonly label: string; readonly hint: string; readonly isRequired: boolean };
  /** Whether requesting and approving are signed with a passkey. */
  readonly isSigned?: boolean;
  /** What they agree to. */
  readonly children: ReactNode;
};

export function TwoOperators(props: Props) {
  const {
    words,
    agreement,
    viewerId,
    path,
    kind,
    request,
    approve,
    declineTitle,
    requestedByText,
    note,
    isSigned,
    children,
  } = props;
  const { t } = words;
  const field = { name: 'note', label: note.label, hint: note.hint };
  const common = { isSmall: true, path, children };
  const withNote = {
    ...common,
    isSigned: isSigned ?? false,
    triggerKind: kind,
    field: { ...field, isRequired: note.isRequired },
  };
  const bodyOf = (move: string) => ({ move, digest: agreement.digest });
  if (!agreement.requestedBy) {
    return (
      <span className="grid justify-items-end gap-1.5 [&_button]:whitespace-nowrap">
        <ConfirmButton {...withNote} {...request} done={t('operatorApprovalRequested')} body={bodyOf('request')} />
        {agreement.declined && (
          <span className="max-w-48 text-xs text-muted">
            {t('operatorApprovalDeclinedBy', { name: agreement.declined.name })}
          </span>
        )}
      </span>
    );
  }
  const isMine = agreement.requestedBy.userId === viewerId;
  const no = isMine ? t('operatorApprovalWithdraw') : t('operatorApprovalDecline');
  return (
    <span className="grid justify-items-end gap-1.5 [&_button]:whitespace-nowrap">
      <span className="inline-flex flex-wrap justify-end gap-1.5">
        {!isMine && <ConfirmButton {...withNote} {...approve} body={bodyOf('approve')} />}
        <ConfirmButton
          {...common}
          trigger={no}
          title={isMine ? t('operatorApprovalWithdrawTitle') : declineTitle}
          submit={no}
          done={t('operatorDecidedDone')}
          body={bodyOf('decline')}
          field={field}
        />
      </span>
      <span className="max-w-48 text-xs text-muted">
        {isMine ? t('operatorApprovalYours') : requestedByText(agreement.requestedBy.name)}
      </span>
    </span>
  );
}

type AgreedProps = {
  readonly words: DashboardWords;
  readonly row: HeldRefund;
  readonly requestedBy: { readonly name: string; readonly note: string | null } | null;
  readonly noteLabel: string;
  /** Shown before the facts of the request. */
  readonly facts: ReactNode;
  /** Shown below the facts. */
  readonly children?: ReactNode;
};

/** What both operators approve. */
export function AgreedRefund({ words: { t, format }, row, requestedBy, noteLabel, facts, children }: AgreedProps) {
  return (
    <div className="rounded-lg border border-line bg-ground p-3.5">
      <Facts>
        <Fact name={t('operatorAmount')}>
          <strong>{format.money(row.amount, row.currency)}</strong>
        </Fact>
        <Fact name={t('operatorNetwork')}>{networkIn(t, row)}</Fact>
        {facts}
        {requestedBy && <Fact name={t('operatorApprovalFirst')}>{requestedBy.name}</Fact>}
        {requestedBy?.note && <Fact name={noteLabel}>{requestedBy.note}</Fact>}
      </Facts>
      {children}
    </div>
  );
}
