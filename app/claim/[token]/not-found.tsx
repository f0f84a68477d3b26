// The page for a claim link that is no longer good: money may wait behind it, so it says what to do.

import { NotFoundPage } from '@/components/ui/not-found-page';
import { getWords } from '@/lib/i18n/translate';

export default async function ClaimNotFound() {
  const { t } = await getWords();
  return <NotFoundPage icon="link" title={t('claimUnknownTitle')} text={t('claimUnknownText')} />;
}
