// The page for a payment that does not exist: someone may hold money in hand, so it says what to do.

import { LanguageSwitch } from '@/components/ui/language-switch';
import { MessagePage } from '@/components/ui/message-page';
import { getWords } from '@/lib/i18n/translate';

export default async function PaymentNotFound() {
  const { t } = await getWords();
  return (
    <MessagePage title={t('notFoundPayTitle')} text={t('notFoundPayText')}>
      <LanguageSwitch />
    </MessagePage>
  );
}
