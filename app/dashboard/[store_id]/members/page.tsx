// The members of a store and its open invitations.

import { InvitationActions, InviteMember, MemberActions } from '@/components/dashboard/members/member-actions';
import { MailChoicesForm } from '@/components/dashboard/members/mail-choices';
import { Badge } from '@/components/ui/badge';
import { Card, PageHead } from '@/components/ui/card';
import { DateTime } from '@/components/ui/date-time';
import { Table } from '@/components/ui/table';
import { unixSeconds } from '@/lib/platform/clock';
import { readMembers, type InvitationView, type MemberView } from '@/lib/dashboard/lists/members';
import { requireStorePage } from '@/lib/dashboard/store-page';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';
import { choicesOf, readMailChoices } from '@/lib/merchants/notifications/mail-choices';
import { MEMBER_ROLES } from '@/lib/merchants/members/roles';

export const generateMetadata = titled('navMembers');

type Props = { readonly params: Promise<{ store_id: string }> };

export default async function MembersPage({ params }: Props) {
  const { context, store, actor, can } = await requireStorePage(params, 'members.read');
  const { t } = await getDashboardWords();
  const { members, invitations } = await readMembers(context, store.id);
  const mails = await readMailChoices(context.pool, { storeId: store.id, userId: actor.userId });
  const canChange = can('members.change');
  return (
    <>
      <PageHead
        title={t('navMembers')}
        text={t('memText')}
        actions={canChange ? <InviteMember storeId={store.id} /> : null}
      />
      <div className="grid gap-5">
        <Table
          label={t('navMembers')}
          rows={members}
          rowKey={(member) => member.userId}
          columns={[
            {
              key: 'name',
              header: t('memName'),
              onPhone: 'title',
              cell: (member) => (
                <span className="grid md:min-w-32">
                  <span className="font-semibold wrap-anywhere">
                    {member.name || member.email}
                    {member.userId === actor.userId && <span className="font-normal text-muted"> ({t('memYou')})</span>}
                  </span>
                  {member.name && <span className="text-[0.8125rem] break-all text-muted">{member.email}</span>}
                </span>
              ),
            },
            { key: 'role', header: t('memRole'), onPhone: 'side', cell: (member) => t(`role_${member.role}`) },
            {
              key: 'factor',
              header: t('memFactor'),
              cell: (member) =>
                member.hasSecondFactor ? (
                  <Badge tone="good">{t('memFactorOn')}</Badge>
                ) : (
                  <Badge tone="warn">{t('memFactorOff')}</Badge>
                ),
            },
            {
              key: 'since',
              header: t('memSince'),
              isExtra: true,
              cell: (member) => <DateTime at={unixSeconds(member.since)} inList />,
            },
            ...(canChange
              ? [
                  {
                    key: 'actions',
                    header: t('accountActions'),
                    isHeaderHidden: true,
                    isNumeric: true,
                    onPhone: 'menu' as const,
                    cell: (member: MemberView) => (
                      <MemberActions
                        storeId={store.id}
                        userId={member.userId}
                        name={member.name || member.email}
                        role={member.role}
                        isSelf={member.userId === actor.userId}
                        keys={member.keys}
                      />
                    ),
                  },
                ]
              : []),
          ]}
          empty={null}
        />
        {invitations.length > 0 && (
          <Card title={t('memInvitations')} isFlush>
            <Table
              label={t('memInvitations')}
              rows={invitations}
              rowKey={(one) => one.email}
              isBare
              columns={[
                {
                  key: 'email',
                  header: t('authEmail'),
                  onPhone: 'title',
                  cell: (one) => <span className="break-all">{one.email}</span>,
                },
                { key: 'role', header: t('memRole'), onPhone: 'side', cell: (one) => t(`role_${one.role}`) },
                {
                  key: 'until',
                  header: t('memUntil'),
                  cell: (one) => <DateTime at={unixSeconds(one.expiresAt)} inList />,
                },
                ...(canChange
                  ? [
                      {
                        key: 'actions',
                        header: t('accountActions'),
                        isHeaderHidden: true,
                        isNumeric: true,
                        cell: (one: InvitationView) => <InvitationActions storeId={store.id} email={one.email} />,
                      },
                    ]
                  : []),
              ]}
              empty={null}
            />
          </Card>
        )}
        {mails && actor.storeRole && (
          <Card id="mails" title={t('memMails')} text={t('memMailsHint')}>
            <MailChoicesForm storeId={store.id} choices={mails} shown={choicesOf(actor.storeRole)} />
          </Card>
        )}
        <Card title={t('memRoles')}>
          <dl className="m-0 grid gap-2">
            {MEMBER_ROLES.map((role) => (
              <div key={role}>
                <dt className="font-semibold">{t(`role_${role}`)}</dt>
                <dd className="text-muted first-letter:uppercase">{t(`memRole_${role}`)}</dd>
              </div>
            ))}
          </dl>
        </Card>
      </div>
    </>
  );
}
