// The page for a claim link that is no longer good: money may wait behind it, so it says what to do.

import { LanguageSwitch } from '@/components/ui/language-switch';
import { MessagePage } from '@/components/ui/message-page';
import { getWords } from '@/lib/i18n/translate';

export default async function ClaimNotFound() {
  const { t } = await getWords();
  return (
    <MessagePage title={t('claimUnknownTitle')} text={t('claimUnknownText')}>
      <LanguageSwitch />
    </MessagePage>
  );
}
