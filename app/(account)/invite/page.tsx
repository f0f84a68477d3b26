// An invitation into a store, opened by the mail's link: what it offers, and who may accept it.

import { AccountCard } from '@/components/dashboard/account/frame';
import { InviteForm } from '@/components/dashboard/account/link-forms';
import { ButtonLink } from '@/components/ui/button';
import { Note } from '@/components/ui/card';
import { services } from '@/lib/api/services';
import { pageVisitor } from '@/lib/dashboard/page';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';
import { readInvitation } from '@/lib/merchants/members/accept';
import { LinkInvalid } from '@/app/(account)/link-invalid';
import type { LinkParams } from '@/app/(account)/link-token';

export const generateMetadata = titled('authInviteAccept');

export default async function InvitePage({ searchParams }: { searchParams: LinkParams }) {
  const { t } = await getDashboardWords();
  const { token: given } = await searchParams;
  const token = typeof given === 'string' ? given : '';
  const offered = await readInvitation(services(), token);
  if (!offered) return <LinkInvalid />;
  const who = await pageVisitor();
  const here = encodeURIComponent(`/invite?token=${token}`);
  const { storeName, role, email } = offered;
  return (
    <AccountCard
      title={t('authInviteTitle', { store: storeName })}
      text={t('authInviteText', { role: t(`role_${role}`) })}
    >
      <p>{t('authInviteFor', { email })}</p>
      {who === null ? (
        <div className="grid gap-2">
          <ButtonLink kind="primary" href={`/login?callbackUrl=${here}`} isWide>
            {t('authInviteSignIn')}
          </ButtonLink>
          <ButtonLink href="/signup" isWide>
            {t('authInviteSignUp')}
          </ButtonLink>
        </div>
      ) : who.email === email ? (
        <InviteForm token={token} />
      ) : (
        <Note tone="warn">{t('authInviteOther', { email: who.email })}</Note>
      )}
    </AccountCard>
  );
}
