// The store's look on the payment page, receipts and refund pages.

import { Branding } from '@/components/dashboard/look/branding';
import { PageHead } from '@/components/ui/card';
import { requireStorePage } from '@/lib/dashboard/store-page';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';
import { LARGEST_LOGO } from '@/lib/merchants/branding/logo';
import { MOST_EMBED_ORIGINS, readStoreLook } from '@/lib/merchants/branding/look';

export const generateMetadata = titled('navLook');

type Props = { readonly params: Promise<{ store_id: string }> };

export default async function LookPage({ params }: Props) {
  const { context, store, can } = await requireStorePage(params, 'store.read');
  const look = await readStoreLook(context.pool, store.id);
  const { t } = await getDashboardWords();
  return (
    <>
      <PageHead title={t('navLook')} text={t('lookText')} />
      <Branding
        storeId={store.id}
        storeName={store.name}
        look={look}
        mostOrigins={MOST_EMBED_ORIGINS}
        largestLogo={LARGEST_LOGO}
        isReadOnly={!can('store.change')}
      />
    </>
  );
}
