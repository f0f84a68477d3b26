// The page for an unknown payment link.

import { NotFoundPage } from '@/components/ui/not-found-page';
import { getWords } from '@/lib/i18n/translate';

export default async function LinkNotFound() {
  const { t } = await getWords();
  return <NotFoundPage icon="link" title={t('claimUnknownTitle')} text={t('notFoundPayText')} />;
}
