// The API keys of a store in one environment.

import type { Metadata } from 'next';
import { CreateKey } from '@/components/dashboard/keys/create-key';
import { KeyActions } from '@/components/dashboard/keys/key-actions';
import { Badge } from '@/components/ui/badge';
import { ButtonLink } from '@/components/ui/button';
import { Empty, PageHead } from '@/components/ui/card';
import { DateTime } from '@/components/ui/date-time';
import { Table } from '@/components/ui/table';
import { unixSeconds } from '@/lib/platform/clock';
import { requireStorePage } from '@/lib/dashboard/store-page';
import { getDashboardWords, type DashboardWords } from '@/lib/i18n/dashboard-words';
import { scopesGivenBy } from '@/lib/merchants/members/roles';
import { listKeys, type KeyRow } from '@/lib/merchants/api-keys/read-access';

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await getDashboardWords()).t('navKeys') };
}

type Props = { readonly params: Promise<{ store_id: string; environment: string }> };

export default async function KeysPage({ params }: Props) {
  const { actor, context, of, can } = await requireStorePage(params, 'keys.read');
  const { t } = await getDashboardWords();
  const keys = await listKeys(context.pool, of);
  const now = context.clock.now();
  const canChange = can('keys.change');
  const scopes = scopesGivenBy(actor.storeRole, of.environment);
  const stateOf = (key: KeyRow): KeyState =>
    key.revokedAt ? 'revoked' : key.expiresAt === null ? 'active' : key.expiresAt > now ? 'rolled' : 'ended';
  return (
    <>
      <PageHead
        title={t('navKeys')}
        text={t('keyText')}
        actions={canChange ? <CreateKey {...{ ...of, scopes }} /> : null}
      />
      <Table
        label={t('navKeys')}
        rows={keys}
        rowKey={(key) => String(key.id)}
        columns={[
          {
            key: 'name',
            header: t('keyName'),
            onPhone: 'title',
            cell: (key) => (
              <span className="grid">
                <span className="font-semibold wrap-anywhere">{key.name}</span>
                <code className="text-[0.8125rem] whitespace-nowrap text-muted">
                  ak_{of.environment}_…{key.hint}
                </code>
              </span>
            ),
          },
          {
            key: 'state',
            header: t('payStatus'),
            onPhone: 'side',
            cell: (key) => (
              <State state={stateOf(key)} until={key.expiresAt} requiresSignatureV2={key.requiresSignatureV2} t={t} />
            ),
          },
          {
            key: 'scopes',
            header: t('keyScopes'),
            isExtra: true,
            cell: (key) => <span className="inline-block min-w-32 text-[0.8125rem]">{key.scopes.join(', ')}</span>,
          },
          {
            key: 'addresses',
            header: t('keyAddresses'),
            isExtra: true,
            cell: (key) => (
              <span className="text-[0.8125rem]">
                {key.allowedAddresses.length === 0 ? t('keyAnywhere') : key.allowedAddresses.join(', ')}
              </span>
            ),
          },
          {
            key: 'creator',
            header: t('keyCreator'),
            isExtra: true,
            cell: (key) => <span className="text-[0.8125rem] wrap-anywhere">{key.creator ?? '—'}</span>,
          },
          {
            key: 'used',
            header: t('keyUsed'),
            cell: (key) =>
              key.lastUsedAt ? (
                <DateTime at={unixSeconds(key.lastUsedAt)} inList />
              ) : (
                <span className="text-muted">{t('keyNever')}</span>
              ),
          },
          ...(canChange
            ? [
                {
                  key: 'actions',
                  header: t('accountActions'),
                  isHeaderHidden: true,
                  isNumeric: true,
                  cell: (key: KeyRow) => {
                    const state = stateOf(key);
                    if (state === 'revoked' || state === 'ended') return null;
                    const canGive = key.scopes.every((scope) => scopes.includes(scope));
                    return (
                      <KeyActions
                        {...of}
                        keyId={key.id}
                        name={key.name}
                        canRoll={state === 'active' && canGive}
                        canSetSignature={canGive}
                        requiresSignatureV2={key.requiresSignatureV2}
                      />
                    );
                  },
                },
              ]
            : []),
        ]}
        empty={
          <Empty icon="keys" title={t('keyNoneTitle')} text={t('keyNoneText')}>
            {canChange && <CreateKey {...{ ...of, scopes }} />}
            <ButtonLink href="/docs/keys" icon="external">
              {t('navDocs')}
            </ButtonLink>
          </Empty>
        }
      />
    </>
  );
}

type KeyState = 'active' | 'rolled' | 'ended' | 'revoked';

type StateProps = {
  readonly state: KeyState;
  readonly until: Date | null;
  readonly requiresSignatureV2: boolean;
  readonly t: DashboardWords['t'];
};

function State({ state, until, requiresSignatureV2, t }: StateProps) {
  return (
    <span className="inline-grid justify-items-start gap-0.5">
      <Badge tone={state === 'active' ? 'good' : state === 'rolled' ? 'warn' : 'plain'}>{t(`keyState_${state}`)}</Badge>
      {requiresSignatureV2 && <Badge tone="plain">{t('keySignatureV2Only')}</Badge>}
      {state === 'rolled' && until && (
        <span className="text-[0.8125rem] text-muted">
          <DateTime at={unixSeconds(until)} inList />
        </span>
      )}
    </span>
  );
}
