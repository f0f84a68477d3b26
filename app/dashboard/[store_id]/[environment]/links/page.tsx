// The payment links of a store: create, share, switch off and on.

import { LinkTable } from '@/components/dashboard/links/link-table';
import { NewLink } from '@/components/dashboard/links/new-link';
import { ListPager } from '@/components/dashboard/payments/list-pager';
import { ButtonLink } from '@/components/ui/button';
import { Empty, Note, PageHead } from '@/components/ui/card';
import { RefreshOnReturn } from '@/components/ui/refresh-on-return';
import { listPaymentLinks } from '@/lib/dashboard/lists/links';
import { readListQuery, requireStorePage, type StorePageProps } from '@/lib/dashboard/store-page';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';
import { isStoreOpen } from '@/lib/merchants/stores/store-status';

export const generateMetadata = titled('navLinks');

export default async function LinksPage({ params, searchParams }: StorePageProps) {
  const { context, store, of, api, can } = await requireStorePage(params, 'links.read');
  const words = await getDashboardWords();
  const { t } = words;
  const given = await searchParams;
  const { pageRequest } = readListQuery(given);
  const page = await listPaymentLinks(context, of, pageRequest);
  const canChange = can('links.change');
  const isNone = page.rows.length === 0 && page.newer === null;
  return (
    <>
      <RefreshOnReturn />
      <PageHead
        title={t('navLinks')}
        text={isNone ? undefined : t('lnkText')}
        // At one place in the tree; otherwise the first link would unmount the dialog that shows it.
        actions={canChange && <NewLink api={api} isOpenAtFirst={given.new === '1'} />}
      />
      {!isStoreOpen(store.status, of.environment) && (
        <div className="mb-4">
          <Note tone="warn">{t('lnkNotApproved')}</Note>
        </div>
      )}
      <LinkTable
        words={words}
        api={api}
        canChange={canChange}
        rows={page.rows}
        empty={
          <Empty icon="link" title={t('lnkNoneTitle')} text={t('lnkNoneText')}>
            <ButtonLink href="/docs/links" icon="external">
              {t('navDocs')}
            </ButtonLink>
          </Empty>
        }
        foot={<ListPager older={page.older} newer={page.newer} shown={page.rows.length} />}
      />
    </>
  );
}
