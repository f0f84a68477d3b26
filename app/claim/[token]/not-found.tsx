// The page for an invalid claim link. A refund may still be waiting, so the page says what to do.

import { NotFoundPage } from '@/components/ui/not-found-page';
import { getWords } from '@/lib/i18n/translate';

export default async function ClaimNotFound() {
  const { t } = await getWords();
  return <NotFoundPage icon="link" title={t('claimUnknownTitle')} text={t('claimUnknownText')} />;
}
