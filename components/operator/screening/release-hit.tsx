// Releases a hit: one operator requests it with a reason, another one approves, either declines. Each sees the address and who reported it.

import { Fact, Facts } from '@/components/ui/card';
import { networkIn } from '@/components/operator/names';
import { TwoOperators } from '@/components/operator/two-operators';
import type { ScreeningHit } from '@/lib/dashboard/operator/screening/read';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';

type Props = { readonly words: DashboardWords; readonly row: ScreeningHit; readonly viewerId: string };

export function ReleaseHit({ words, row, viewerId }: Props) {
  const { t } = words;
  return (
    <TwoOperators
      {...{ words, viewerId }}
      agreement={row.release}
      path={`/operator/screening/${row.id}/release`}
      kind="danger"
      request={{
        trigger: t('screeningRelease'),
        title: t('screeningReleaseRequestTitle'),
        text: t('screeningReleaseText'),
        submit: t('screeningReleaseRequest'),
      }}
      approve={{
        trigger: t('screeningRelease'),
        title: t('screeningReleaseTitle'),
        text: t('screeningReleaseText'),
        submit: t('screeningRelease'),
        submitKind: 'danger',
        done: t('screeningReleaseDone'),
      }}
      declineTitle={t('screeningReleaseDeclineTitle')}
      requestedByText={(name) => t('screeningReleaseRequestedBy', { name })}
      note={{ label: t('screeningNote'), hint: t('operatorRecheckNoteHint'), isRequired: true }}
    >
      <About {...{ words, row }} />
    </TwoOperators>
  );
}

/** What both operators agree to. */
function About({ words: { t }, row }: Omit<Props, 'viewerId'>) {
  const { requestedBy } = row.release;
  return (
    <div className="rounded-lg border border-line bg-ground p-3.5">
      <Facts>
        <Fact name={t('screeningAddress')}>
          <code className="text-[0.8125rem] break-all">{row.address}</code>
        </Fact>
        <Fact name={t('operatorNetwork')}>{networkIn(t, row)}</Fact>
        <Fact name={t('screeningFoundBy')}>
          {row.entity} · <code>{row.source}</code>
        </Fact>
        {requestedBy && <Fact name={t('operatorApprovalFirst')}>{requestedBy.name}</Fact>}
        {requestedBy?.note && <Fact name={t('screeningNote')}>{requestedBy.note}</Fact>}
      </Facts>
    </div>
  );
}
