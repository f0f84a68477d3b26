// The till of a store: the keypad, the sale that is being paid, and the latest ones.

import { LatestSales } from '@/components/dashboard/till/latest';
import { Till } from '@/components/dashboard/till/till';
import { Note, PageHead } from '@/components/ui/card';
import { requireStorePage, type StorePageProps } from '@/lib/dashboard/store-page';
import { latestSales, readSale } from '@/lib/dashboard/payment/till';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';
import { hasTestMoney } from '@/lib/payments/sessions/test-money';
import { isStoreOpen } from '@/lib/merchants/stores/store-status';

export const generateMetadata = titled('navTill');

export default async function TillPage({ params, searchParams }: StorePageProps) {
  const { context, store, of, api, base } = await requireStorePage(params, 'till.use');
  const words = await getDashboardWords();
  const { t } = words;
  const { sale: asked } = await searchParams;
  const [sale, sales] = await Promise.all([
    typeof asked === 'string' ? readSale(context, of, asked) : null,
    latestSales(context, of),
  ]);
  const isOpen = isStoreOpen(store.status, of.environment);
  return (
    <>
      <PageHead title={t('navTill')} text={t('tillText')} />
      {!isOpen && (
        <div className="mb-4">
          <Note tone="warn">{t('tillNotApproved')}</Note>
        </div>
      )}
      <Till
        api={api}
        base={base}
        storeName={store.name}
        shown={sale && { id: sale.id, amount: sale.amount, currency: sale.currency, note: sale.note }}
        isOpen={isOpen}
        hasTestMoney={hasTestMoney(context.config, of.environment)}
      >
        <LatestSales words={words} base={base} sales={sales} />
      </Till>
    </>
  );
}
