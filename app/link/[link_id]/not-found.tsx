// The page for a payment link that there is not.

import { LanguageSwitch } from '@/components/ui/language-switch';
import { MessagePage } from '@/components/ui/message-page';
import { getWords } from '@/lib/i18n/translate';

export default async function LinkNotFound() {
  const { t } = await getWords();
  return (
    <MessagePage title={t('claimUnknownTitle')} text={t('notFoundPayText')}>
      <LanguageSwitch />
    </MessagePage>
  );
}
