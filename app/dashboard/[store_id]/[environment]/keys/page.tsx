// The API keys of a store in one environment.

import { CreateKey } from '@/components/dashboard/keys/create-key';
import { KeyTables } from '@/components/dashboard/keys/key-table';
import { inEnvironment } from '@/components/dashboard/places';
import { Badge } from '@/components/ui/badge';
import { ButtonLink } from '@/components/ui/button';
import { Empty, PageHead } from '@/components/ui/card';
import { Link } from '@/components/ui/link';
import { requireStorePage } from '@/lib/dashboard/store-page';
import { getDashboardWords, titled } from '@/lib/i18n/dashboard-words';
import { scopesGivenBy } from '@/lib/merchants/members/roles';
import { listKeys } from '@/lib/merchants/api-keys/read-access';

export const generateMetadata = titled('navKeys');

type Props = { readonly params: Promise<{ store_id: string; environment: string }> };

export default async function KeysPage({ params }: Props) {
  const { actor, context, of, base, can } = await requireStorePage(params, 'keys.read');
  const { t } = await getDashboardWords();
  const keys = await listKeys(context.pool, of);
  const canChange = can('keys.change');
  const scopes = scopesGivenBy(actor.storeRole, of.environment);
  const create = canChange && <CreateKey {...{ ...of, scopes }} />;
  const docs = (
    <ButtonLink href="/docs/keys" icon="external">
      {t('navDocs')}
    </ButtonLink>
  );
  const isTest = of.environment === 'test';
  const other = isTest ? 'live' : 'test';
  return (
    <>
      <PageHead
        title={t('navKeys')}
        badge={<Badge tone={isTest ? 'warn' : 'good'}>{t(isTest ? 'navTest' : 'navLive')}</Badge>}
        text={
          <>
            <p>{t('keyText')}</p>
            <p>
              <span className="font-semibold text-ink">{t(`keysOf_${of.environment}`)}</span>{' '}
              <Link href={inEnvironment(`${base}/keys`, other)}>{t(`keysShow_${other}`)}</Link>
            </p>
          </>
        }
        actions={
          keys.length > 0 && (
            <>
              {docs}
              {create}
            </>
          )
        }
      />
      <KeyTables
        {...{ t, of, keys, canChange, scopes }}
        now={context.clock.now()}
        empty={
          <Empty icon="keys" title={t('keyNoneTitle')} text={t('keyNoneText')}>
            {create}
            {docs}
          </Empty>
        }
      />
    </>
  );
}
