// The page for addresses that nothing is at.

import { MessagePage } from '@/components/ui/message-page';
import { getWords } from '@/lib/i18n/translate';

export default async function NotFound() {
  const { t } = await getWords();
  return <MessagePage title={t('notFoundTitle')} text={t('notFoundText')} />;
}
