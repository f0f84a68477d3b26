// Work that needs an operator now: queue sizes, each counted only up to a maximum, and the open alarms.

import type { AlarmKind, Severity } from '@/lib/installation/alarms/kinds';
import type { Context } from '@/lib/platform/context';
import { readFreeze, type FreezeState } from '@/lib/installation/freeze/request';
import { networksWithoutList } from '@/lib/refunds/destination/exchange-wallets/age';
import { isProduction, unfinishedSettings } from '@/lib/platform/config/unsafe-settings';
import { isSetupOpen } from '@/lib/installation/setup/in-browser';
import { readStatus, type NetworkStatus } from '@/lib/installation/status/read';
import { readServices } from '@/lib/installation/status/services';
import { listOpenAlarms } from './alarms';

export type Overview = {
  readonly freeze: FreezeState;
  /** Networks that are not healthy. */
  readonly networks: readonly NetworkStatus[];
  readonly networkCount: number;
  /** Whether webhooks or refunds are overdue, so that no worker seems to run. */
  readonly isOverdue: boolean;
  /** No worker runs or can write, so everything that it reports may be old. */
  readonly isWorkerSilent: boolean;
  /** Networks on which every refund waits for the customer, because no current list of exchange wallets is loaded. */
  readonly withoutList: readonly string[];
  /** Missing parts of the set-up. */
  readonly unfinished: readonly Unfinished[];
  readonly alarms: readonly OpenAlarm[];
  /** Each at most MAX_COUNTED. */
  readonly counts: Counts;
};

type OpenAlarm = { readonly kind: AlarmKind; readonly severity: Severity; readonly isAcknowledged: boolean };

export type Unfinished = 'setup' | 'network' | 'test_network' | 'mail' | 'words' | 'funds' | 'operator';

type Counts = {
  readonly waitingStores: number;
  /** Approved stores that changed what customers know them by. */
  readonly changedStores: number;
  readonly openExceptions: number;
  readonly heldRefunds: number;
  /** Held refunds that wait for operators' approval. */
  readonly approvals: number;
  readonly differences: number;
  readonly failingSteps: number;
  /** Rows in quarantine: the worker failed on them and continues without them. */
  readonly quarantined: number;
  readonly failedDeliveries: number;
  readonly failedMails: number;
  /** Kinds of security events with an open alarm. */
  readonly securityAlarms: number;
  readonly operators: number;
  /** Live networks whose refund wallet was read and holds no token, or no coin for fees. */
  readonly unfunded: number;
};

/** A number this high is shown as "and more". */
export const MAX_COUNTED = 1000;
/** Older failed deliveries are history, and are listed under jobs. */
const DELIVERIES_DAYS = 7;
/** As in the alert StabletillWorkerSilent. */
const WORKER_SILENT_SECONDS = 60;

const upTo = (rows: string): string =>
  `(SELECT count(*)::int FROM (SELECT 1 FROM ${rows} LIMIT ${MAX_COUNTED}) AS counted)`;

const holds = (what: string): string =>
  `EXISTS (SELECT FROM wallet_balances w WHERE w.chain_id = c.id AND w.amount > 0 AND w.${what})`;

const COUNT = {
  name: 'operator-overview',
  text: `SELECT ${upTo(`stores WHERE status = 'pending'`)} AS "waitingStores",
    ${upTo(`stores WHERE identity_changed_at IS NOT NULL`)} AS "changedStores",
    ${upTo(`payment_exceptions WHERE state = 'open'`)} AS "openExceptions",
    ${upTo(`refunds WHERE hold IS NOT NULL AND status = 'processing'`)} AS "heldRefunds",
    ${upTo(`(SELECT hold, status FROM refunds UNION ALL SELECT hold, status FROM payouts) AS payment WHERE hold = 'approval_needed' AND status = 'processing'`)} AS approvals,
    ${upTo(`discrepancies WHERE ended_at IS NULL`)} AS differences,
    ${upTo(`step_failures WHERE ended_at IS NULL`)} AS "failingSteps",
    ${upTo(`quarantine WHERE resolved_at IS NULL AND attempts > 0`)} AS quarantined,
    ${upTo(`deliveries WHERE status = 'failed' AND finished_at > $1::timestamptz - interval '${DELIVERIES_DAYS} days'`)} AS "failedDeliveries",
    ${upTo(`mails WHERE failed_at IS NOT NULL`)} AS "failedMails",
    ${upTo(`alarms WHERE kind = 'security' AND closed_at IS NULL`)} AS "securityAlarms",
    ${upTo(`users WHERE role = 'operator' AND disabled_at IS NULL`)} AS operators,
    ${upTo(`chains c WHERE c.environment = 'live' AND c.retired_at IS NULL AND EXISTS (SELECT FROM wallet_balances w WHERE w.chain_id = c.id)
      AND NOT (${holds(`asset = 'fee'`)} AND ${holds(`asset <> 'fee'`)})`)} AS unfunded,
    EXISTS (SELECT FROM expiry_watch WHERE seen_at < $1::timestamptz - interval '${WORKER_SILENT_SECONDS} seconds') AS "isWorkerSilent"`,
};

/** Everything that the console's first page shows. */
export async function readOverview(context: Pick<Context, 'pool' | 'clock' | 'config'>): Promise<Overview> {
  const [freeze, status, services, withoutList, alarms, { rows }] = await Promise.all([
    readFreeze(context.pool),
    readStatus(context),
    readServices(context),
    networksWithoutList(context),
    listOpenAlarms(context),
    context.pool.query<Counts & Pick<Overview, 'isWorkerSilent'>>({ ...COUNT, values: [context.clock.now()] }),
  ]);
  const { isWorkerSilent, ...counts } = rows[0] as Counts & Pick<Overview, 'isWorkerSilent'>;
  return {
    freeze,
    networks: status.networks.filter(({ state }) => state !== 'ok'),
    networkCount: status.networks.length,
    isOverdue: services.some(({ state }) => state === 'delayed'),
    isWorkerSilent,
    withoutList,
    unfinished: unfinishedOf(context.config, counts, freeze),
    alarms: alarms.map(({ kind, severity, acknowledgedAt }) => ({
      kind,
      severity,
      isAcknowledged: acknowledgedAt !== null,
    })),
    counts,
  };
}

/**
 * Large refunds need two operators, and the second can restore the first one's access. A trial installation needs only one. An
 * open set-up lists its own steps.
 */
function unfinishedOf(
  config: Context['config'],
  { operators, unfunded }: Counts,
  { areWordsConfirmed }: Pick<FreezeState, 'areWordsConfirmed'>,
): readonly Unfinished[] {
  if (isSetupOpen(config)) return ['setup'];
  if (!isProduction(config)) return [];
  return [
    ...unfinishedSettings(config),
    ...(areWordsConfirmed === false ? (['words'] as const) : []),
    ...(unfunded > 0 ? (['funds'] as const) : []),
    ...(operators < 2 ? (['operator'] as const) : []),
  ];
}
