// The list on the console's first page: one row for each matter that needs an operator, the most severe first. An alarm about a
// matter that has its own row is part of that row and is not listed separately. Pure.

import { ALARM_KINDS, SEVERITIES, severityOf, type AlarmKind, type Severity } from '@/lib/installation/alarms/kinds';
import type { Overview, Unfinished } from '@/lib/dashboard/operator/overview';

export type ActionItem = {
  /** Unique in the list. */
  readonly key: string;
  readonly severity: Severity;
  readonly href: string;
  /**
   * The catalogue's key of its title. The key of its explanation is the same with `Text`, or follows `operatorUnfinishedText_`.
   */
  readonly words:
    { readonly of: 'alarm'; readonly key: AlarmKind } | { readonly of: 'unfinished'; readonly key: Unfinished };
  /** The count; null when the title needs none. */
  readonly count: number | null;
};

/** Where the result appears once it is set up. */
const UNFINISHED_AT: Readonly<Record<Unfinished, string>> = {
  setup: '/operator/setup',
  network: '/operator/health',
  test_network: '/operator/health',
  words: '/operator#freeze',
  mail: '/operator/jobs?show=mails',
  funds: '/operator/wallets',
  operator: '/operator/users',
};

export function actionItemsOf(overview: Overview): readonly ActionItem[] {
  const rows = [...queuesOf(overview), ...unfinishedOf(overview)];
  const covered = new Set(rows.flatMap(({ covers }) => covers));
  const others = overview.alarms.filter(({ kind, isAcknowledged }) => !isAcknowledged && !covered.has(kind));
  const kinds = [...new Set(others.map(({ kind }) => kind))];
  const alarms = kinds.map((kind): ActionItem => {
    const same = others.filter((one) => one.kind === kind);
    return {
      key: kind,
      severity: worstOf(same.map(({ severity }) => severity)) ?? ALARM_KINDS[kind].severity,
      href: ALARM_KINDS[kind].path,
      words: { of: 'alarm', key: kind },
      count: same.length,
    };
  });
  return [...rows.map(({ covers: _, ...matter }) => matter), ...alarms].toSorted(
    (one, other) => SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity),
  );
}

type Row = ActionItem & { readonly covers: readonly AlarmKind[] };

/** The queues that are not empty. */
function queuesOf({ counts, networks, withoutList, freeze, alarms }: Overview): readonly Row[] {
  const queue = (kind: AlarmKind, count: number | null, over: Partial<Row> = {}): readonly Row[] => {
    if (count === 0) return [];
    const severities = alarms.filter((one) => one.kind === kind).map(({ severity }) => severity);
    const row: Row = {
      key: kind,
      severity: worstOf(severities) ?? ALARM_KINDS[kind].severity,
      href: ALARM_KINDS[kind].path,
      words: { of: 'alarm', key: kind },
      count,
      covers: [kind],
    };
    return [{ ...row, ...over }];
  };
  const isStopped = freeze.isFrozen === true || freeze.waiting !== null;
  const ofNetworks = worstOf(
    networks.map(({ state, environment }) =>
      severityOf(state === 'down' ? 'network_down' : 'network_trouble', environment),
    ),
  );
  return [
    ...queue('signer_frozen', isStopped ? null : 0, { href: '#freeze' }),
    ...queue('differences', counts.differences),
    ...queue('security', counts.securityAlarms),
    ...queue('network_trouble', networks.length, {
      severity: ofNetworks ?? 'warning',
      covers: ['network_trouble', 'network_down'],
    }),
    ...queue('exchange_list', withoutList.length),
    ...queue('steps', counts.failingSteps),
    ...queue('quarantine', counts.quarantined),
    ...queue('refunds_held', counts.heldRefunds - counts.approvals),
    ...queue('mails', counts.failedMails),
    ...queue('approvals', counts.approvals),
    ...queue('stores_waiting', counts.waitingStores),
    ...queue('stores_changed', counts.changedStores),
    ...queue('exceptions', counts.openExceptions),
    ...queue('deliveries', counts.failedDeliveries),
  ];
}

/** An empty refund wallet is one matter, whether the set-up or an alarm reports it. */
const unfinishedOf = ({ unfinished }: Overview): readonly Row[] =>
  unfinished.map((step) => ({
    key: `unfinished ${step}`,
    severity: 'warning',
    href: UNFINISHED_AT[step],
    words: { of: 'unfinished', key: step },
    count: null,
    covers: step === 'funds' ? ['fee_empty'] : [],
  }));

const worstOf = (severities: readonly Severity[]): Severity | null =>
  SEVERITIES.find((severity) => severities.includes(severity)) ?? null;
