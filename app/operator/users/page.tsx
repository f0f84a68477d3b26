// All accounts: their role, their second factor, and the ways to enable or disable them.

import { Badge } from '@/components/ui/badge';
import { Card, Empty, PageHead } from '@/components/ui/card';
import { DateTime } from '@/components/ui/date-time';
import { Pager } from '@/components/ui/pager';
import { SearchBox } from '@/components/ui/search-box';
import { Table, type Column } from '@/components/ui/table';
import { pagesOf, textOf, type PageQuery } from '@/components/operator/query';
import { ConfirmLink } from '@/components/operator/confirm-link';
import { UserActions } from '@/components/operator/user-actions';
import { listUsers, type UserRow } from '@/lib/merchants/accounts/users-admin';
import { unixSeconds } from '@/lib/platform/clock';
import { requirePage } from '@/lib/dashboard/page';
import { getDashboardWords, titled, type DashboardWords } from '@/lib/i18n/dashboard-words';

const PATH = '/operator/users';
const PAGE = 50;

export const generateMetadata = titled('navUsers');

export default async function UsersPage({ searchParams }: { searchParams: PageQuery }) {
  const { actor, context } = await requirePage('users.read');
  const [words, query] = await Promise.all([getDashboardWords(), searchParams]);
  const { t } = words;
  const after = textOf(query, 'after');
  const { users, next } = await listUsers(context.pool, { search: textOf(query, 'q') ?? '', after, limit: PAGE });
  return (
    <>
      <PageHead title={t('navUsers')} text={t('operatorUsersText')} />
      <div className="mb-4 flex">
        <SearchBox label={t('operatorUsersSearch')} />
      </div>
      <Card isFlush>
        <Table
          isBare
          label={t('navUsers')}
          columns={columnsOf(words, actor.userId)}
          rows={users}
          rowKey={({ id }) => id}
          empty={<Empty icon="user" title={t('uiNoMatch')} text={t('operatorUsersNone')} />}
          foot={<Pager {...pagesOf({ path: PATH, query, name: 'after', at: after, next })} shown={users.length} />}
        />
      </Card>
    </>
  );
}

const columnsOf = (words: DashboardWords, viewerId: string): readonly Column<UserRow>[] => {
  const { t, format } = words;
  return [
    {
      key: 'email',
      header: t('operatorUser'),
      onPhone: 'title',
      cell: ({ email, name }) => (
        <span className="grid">
          <span title={email} className="block max-w-[52vw] truncate font-semibold md:max-w-72">
            {email}
          </span>
          {name !== '' && <span className="text-xs text-muted">{name}</span>}
        </span>
      ),
    },
    { key: 'state', header: t('operatorState'), onPhone: 'side', cell: (row) => <UserState t={t} row={row} /> },
    {
      key: 'role',
      header: t('operatorRole'),
      onPhone: 'under',
      cell: ({ role }) => (
        <span className="whitespace-nowrap">
          {role === 'operator' ? t('role_operator') : t('operatorRoleMerchant')}
        </span>
      ),
    },
    {
      key: 'factor',
      header: t('operatorSecondFactor'),
      cell: ({ isProtected }) =>
        isProtected ? t('operatorFactorYes') : <span className="text-warn">{t('operatorFactorNo')}</span>,
    },
    {
      key: 'stores',
      header: t('navStores'),
      isNumeric: true,
      isExtra: true,
      onPhone: 'hidden',
      cell: ({ stores }) => format.number(stores),
    },
    {
      key: 'seen',
      header: t('operatorLastSeen'),
      isNumeric: true,
      isExtra: true,
      onPhone: 'end',
      cell: ({ lastSeenAt }) => (lastSeenAt ? <DateTime at={unixSeconds(lastSeenAt)} inList /> : t('operatorNever')),
    },
    {
      key: 'confirm',
      header: t('operatorUserConfirm'),
      isHeaderHidden: true,
      isNumeric: true,
      cell: ({ id, email, emailConfirmedAt, disabledAt }) =>
        !emailConfirmedAt && !disabledAt && id !== viewerId ? <ConfirmLink userId={id} name={email} /> : null,
    },
    {
      key: 'actions',
      header: t('operatorDecide'),
      onPhone: 'menu',
      isHeaderHidden: true,
      isNumeric: true,
      cell: (row) =>
        row.id === viewerId ? (
          <span className="text-[0.8125rem] text-muted max-md:pe-3">{t('operatorYou')}</span>
        ) : (
          <UserActions t={t} row={row} />
        ),
    },
  ];
};

function UserState({ t, row }: { t: DashboardWords['t']; row: UserRow }) {
  if (row.disabledAt) return <Badge tone="bad">{t('operatorUserDisabled')}</Badge>;
  if (!row.emailConfirmedAt) return <Badge tone="warn">{t('operatorUserUnconfirmed')}</Badge>;
  return <Badge tone="good">{t('operatorUserActive')}</Badge>;
}
