// How the payment page, receipts and refund pages show the store.

import type { Metadata } from 'next';
import { LogoForm } from '@/components/dashboard/look/logo-form';
import { LookForm } from '@/components/dashboard/look/look-form';
import { Card, PageHead } from '@/components/ui/card';
import { requireStorePage } from '@/lib/dashboard/store-page';
import { getDashboardWords } from '@/lib/i18n/dashboard-words';
import { LARGEST_LOGO } from '@/lib/stores/logo';
import { MOST_EMBED_ORIGINS, readStoreLook } from '@/lib/stores/look';

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getDashboardWords()).t('navLook') };
}

type Props = { readonly params: Promise<{ store_id: string }> };

export default async function LookPage({ params }: Props) {
  const { context, store, can } = await requireStorePage(params, 'store.read');
  const { logo, ...look } = await readStoreLook(context.pool, store.id);
  const { t } = await getDashboardWords();
  const isReadOnly = !can('store.change');
  return (
    <>
      <PageHead title={t('navLook')} text={t('lookText')} />
      <div className="grid max-w-3xl gap-5">
        <Card title={t('lookPage')}>
          <LookForm
            // What was saved is what the fields begin with: the server writes some of it its own way.
            key={JSON.stringify(look)}
            storeId={store.id}
            storeName={store.name}
            look={look}
            logo={logo}
            mostOrigins={MOST_EMBED_ORIGINS}
            isReadOnly={isReadOnly}
          />
        </Card>
        <Card title={t('lookLogo')}>
          <LogoForm
            storeId={store.id}
            name={look.displayName ?? store.name}
            logo={logo}
            largest={LARGEST_LOGO}
            isReadOnly={isReadOnly}
          />
        </Card>
      </div>
    </>
  );
}
