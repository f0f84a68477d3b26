// The page for a receipt that does not exist, or not yet.

import { NotFoundPage } from '@/components/ui/not-found-page';
import { getWords } from '@/lib/i18n/translate';

export default async function ReceiptNotFound() {
  const { t } = await getWords();
  return <NotFoundPage icon="search" title={t('notFoundReceiptTitle')} text={t('notFoundReceiptText')} />;
}
