// The page for a mail link that is no longer valid.

import { AccountCard } from '@/components/dashboard/account/frame';
import { ButtonLink } from '@/components/ui/button';
import { getDashboardWords } from '@/lib/i18n/dashboard-words';

export async function LinkInvalid() {
  const { t } = await getDashboardWords();
  return (
    <AccountCard title={t('authLinkInvalidTitle')} text={t('fault_link_invalid')}>
      <ButtonLink kind="primary" href="/login" isWide>
        {t('authSignIn')}
      </ButtonLink>
    </AccountCard>
  );
}
