// The page for a payment that does not exist. The customer may be about to pay, so it says what to do.

import { NotFoundPage } from '@/components/ui/not-found-page';
import { getWords } from '@/lib/i18n/translate';

export default async function PaymentNotFound() {
  const { t } = await getWords();
  return <NotFoundPage icon="search" title={t('notFoundPayTitle')} text={t('notFoundPayText')} />;
}
