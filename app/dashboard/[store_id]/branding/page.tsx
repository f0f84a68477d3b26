// The store's branding on the payment page, receipts and refund pages.

import { Branding } from '@/components/dashboard/branding/branding';
import { PageHead } from '@/components/ui/card';
import { requireStorePage } from '@/lib/dashboard/store-page';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';
import { LARGEST_LOGO } from '@/lib/merchants/branding/logo';
import { MAX_EMBED_ORIGINS, readStoreBranding } from '@/lib/merchants/branding/branding';

export const generateMetadata = titled('navBranding');

type Props = { readonly params: Promise<{ store_id: string }> };

export default async function BrandingPage({ params }: Props) {
  const { context, store, can } = await requireStorePage(params, 'store.read');
  const branding = await readStoreBranding(context.pool, store.id);
  const { t } = await getDashboardWords();
  return (
    <>
      <PageHead title={t('navBranding')} text={t('brandingText')} />
      <Branding
        storeId={store.id}
        storeName={store.name}
        branding={branding}
        mostOrigins={MAX_EMBED_ORIGINS}
        largestLogo={LARGEST_LOGO}
        isReadOnly={!can('store.change')}
      />
    </>
  );
}
