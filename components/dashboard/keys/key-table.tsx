// A store's keys in one environment: the active ones, and, folded, the inactive ones.

import { Badge } from '@/components/ui/badge';
import { DateTime } from '@/components/ui/date-time';
import { Icon } from '@/components/ui/icon';
import { OneLine, Table, type Column } from '@/components/ui/table';
import { unixSeconds } from '@/lib/platform/clock';
import type { Environment } from '@/lib/platform/ids';
import type { DashboardWords } from '@/lib/i18n/dashboard-words';
import type { KeyRow } from '@/lib/merchants/api-keys/read-access';
import type { ReactNode } from 'react';
import { KeyActions } from './key-actions';

type KeyState = 'active' | 'rolled' | 'ended' | 'revoked';

type Props = {
  readonly t: DashboardWords['t'];
  readonly of: { readonly storeId: string; readonly environment: Environment };
  readonly keys: readonly KeyRow[];
  readonly now: Date;
  readonly canChange: boolean;
  /** The scopes that the viewer may grant. */
  readonly scopes: readonly string[];
  readonly empty: ReactNode;
};

export function KeyTables({ t, of, keys, now, canChange, scopes, empty }: Props) {
  const stateOf = (key: KeyRow): KeyState =>
    key.revokedAt ? 'revoked' : key.expiresAt === null ? 'active' : key.expiresAt > now ? 'rolled' : 'ended';
  const works = (key: KeyRow): boolean => ['active', 'rolled'].includes(stateOf(key));
  const [current, past] = [keys.filter(works), keys.filter((key) => !works(key))];
  const columns: readonly Column<KeyRow>[] = [
    {
      key: 'name',
      header: t('keyName'),
      onPhone: 'title',
      cell: (key) => (
        <span className="grid gap-0.5">
          <span className="font-semibold">
            <OneLine text={key.name} />
          </span>
          <code className="text-[0.8125rem] font-normal whitespace-nowrap text-muted">
            ak_{of.environment}_…{key.hint}
          </code>
        </span>
      ),
    },
    {
      key: 'state',
      header: t('payStatus'),
      onPhone: 'side',
      cell: (key) => <State state={stateOf(key)} until={key.expiresAt} isV2Only={key.requiresSignatureV2} t={t} />,
    },
    { key: 'scopes', header: t('keyScopes'), isExtra: true, cell: (key) => <Lines of={scopeLines(key.scopes)} /> },
    {
      key: 'addresses',
      header: t('keyAddresses'),
      isExtra: true,
      onPhone: 'hidden',
      cell: (key) =>
        key.allowedAddresses.length === 0 ? (
          <span className="text-[0.8125rem] whitespace-nowrap text-muted">{t('keyAnywhere')}</span>
        ) : (
          <Lines of={key.allowedAddresses} />
        ),
    },
    {
      key: 'creator',
      header: t('keyCreator'),
      isExtra: true,
      onPhone: 'hidden',
      cell: (key) =>
        key.creator && (
          <span className="text-[0.8125rem]">
            <OneLine text={key.creator} isMuted />
          </span>
        ),
    },
    {
      key: 'used',
      header: t('keyUsed'),
      isNumeric: true,
      cell: (key) =>
        key.lastUsedAt ? (
          <DateTime at={unixSeconds(key.lastUsedAt)} inList />
        ) : (
          <span className="text-muted">{t('keyNever')}</span>
        ),
    },
  ];
  const actions: Column<KeyRow> = {
    key: 'actions',
    header: t('accountActions'),
    isHeaderHidden: true,
    isNumeric: true,
    onPhone: 'menu',
    cell: (key) => {
      const canGive = key.scopes.every((scope) => scopes.includes(scope));
      return (
        <KeyActions
          {...of}
          keyId={key.id}
          name={key.name}
          canRoll={stateOf(key) === 'active' && canGive}
          canSetSignature={canGive}
          requiresSignatureV2={key.requiresSignatureV2}
        />
      );
    },
  };
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
      <Table
        label={t('navKeys')}
        rows={current}
        rowKey={rowKey}
        columns={canChange ? [...columns, actions] : columns}
        empty={empty}
      />
      {past.length > 0 && (
        <details className="group">
          <summary className="inline-flex min-h-9 items-center gap-1 font-semibold text-muted hover:text-ink pointer-coarse:min-h-11">
            <Icon name="down" size={14} className="group-open:rotate-180" />
            {t('keyPast', { count: past.length })}
          </summary>
          <div className="mt-2">
            <Table
              label={t('keyPast', { count: past.length })}
              rows={past}
              rowKey={rowKey}
              columns={columns}
              empty={null}
            />
          </div>
        </details>
      )}
    </div>
  );
}

const rowKey = (key: KeyRow): string => String(key.id);

/** `sessions:read` and `sessions:write` as one line. */
const scopeLines = (scopes: readonly string[]): string[] => {
  const resources = [...new Set(scopes.map((scope) => scope.split(':')[0] ?? scope))];
  return resources.map((resource) => {
    const actions = scopes.filter((scope) => scope.startsWith(`${resource}:`)).map((scope) => scope.split(':')[1]);
    return `${resource}: ${actions.join(', ')}`;
  });
};

function Lines({ of }: { of: readonly string[] }) {
  return (
    <span className="grid text-[0.8125rem]">
      {of.map((text) => (
        <bdi key={text} dir="ltr" className="font-mono whitespace-nowrap">
          {text}
        </bdi>
      ))}
    </span>
  );
}

type StateProps = {
  readonly state: KeyState;
  readonly until: Date | null;
  readonly isV2Only: boolean;
  readonly t: DashboardWords['t'];
};

function State({ state, until, isV2Only, t }: StateProps) {
  return (
    <span className="inline-grid justify-items-start gap-0.5">
      <Badge tone={state === 'active' ? 'good' : state === 'rolled' ? 'warn' : 'plain'}>{t(`keyState_${state}`)}</Badge>
      {isV2Only && <Badge tone="plain">{t('keySignatureV2Only')}</Badge>}
      {state === 'rolled' && until && (
        <span className="text-[0.8125rem] text-muted">
          <DateTime at={unixSeconds(until)} inList />
        </span>
      )}
    </span>
  );
}
