// Payment exceptions of all stores: late, wrong token, wrong network, or above the price.

import { Card, PageHead } from '@/components/ui/card';
import { FilterBar } from '@/components/ui/filter-bar';
import { TabLinks } from '@/components/ui/tabs';
import { ExceptionList } from '@/components/operator/exception-list';
import { choiceOf, hrefWith, numberOf, pagesOf, type PageQuery } from '@/components/operator/query';
import { listExceptions } from '@/lib/payments/exceptions/read';
import { requirePage } from '@/lib/dashboard/page';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';
import type { ExceptionState } from '@/prisma/generated/enums';

const PATH = '/operator/payments';
const PAGE = 50;
const STATES = ['open', 'left', 'refund', 'accepted', 'kept'] as const satisfies readonly ExceptionState[];

export const generateMetadata = titled('operatorPaymentsTitle');

export default async function PaymentsPage({ searchParams }: { searchParams: PageQuery }) {
  const { actor, context } = await requirePage('payments.read', null);
  const [{ t }, query] = await Promise.all([getDashboardWords(), searchParams]);
  const state = choiceOf(query, 'state', STATES) ?? 'open';
  const environment = choiceOf(query, 'environment', ['live', 'test']);
  const before = numberOf(query, 'before');
  const found = await listExceptions(context, {
    by: { kind: 'operator', userId: actor.userId },
    state,
    limit: PAGE + 1,
    ...(environment === null ? {} : { environment }),
    ...(before === null ? {} : { before }),
  });
  const exceptions = found.slice(0, PAGE);
  const next = found.length > PAGE ? (exceptions.at(-1)?.id ?? null) : null;
  const links = STATES.map((one) => ({
    href: hrefWith(PATH, query, { state: one === 'open' ? null : one }),
    label: t(`operatorException_${one}`),
    isCurrent: one === state,
  }));
  return (
    <>
      <PageHead title={t('operatorPaymentsTitle')} text={t('operatorPaymentsText')} />
      <TabLinks label={t('operatorByState')} links={links} />
      <div className="mb-3">
        <FilterBar
          filters={[
            {
              kind: 'choice',
              name: 'environment',
              label: t('navEnvironment'),
              options: [
                { value: 'live', label: t('navLive') },
                { value: 'test', label: t('navTest') },
              ],
            },
          ]}
        />
      </div>
      <Card isFlush>
        <ExceptionList exceptions={exceptions} {...pagesOf({ path: PATH, query, name: 'before', at: before, next })} />
      </Card>
    </>
  );
}
