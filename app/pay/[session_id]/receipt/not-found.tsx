// The page for a receipt that does not exist, or not yet.

import { LanguageSwitch } from '@/components/ui/language-switch';
import { MessagePage } from '@/components/ui/message-page';
import { getWords } from '@/lib/i18n/translate';

export default async function ReceiptNotFound() {
  const { t } = await getWords();
  return (
    <MessagePage title={t('notFoundReceiptTitle')} text={t('notFoundReceiptText')}>
      <LanguageSwitch />
    </MessagePage>
  );
}
