// The worker's step that requests the payouts of schedules. A schedule that fails is quarantined and delays no other one.

import { NETWORKS, networkSpec } from '@/lib/networks/networks';
import { centsToBaseUnits } from '@/lib/money/amounts';
import type { Config } from '@/lib/platform/config/config';
import type { Context, Step } from '@/lib/platform/context';
import { eachAlone, endQuarantine, isDueAlone } from '@/lib/platform/database/quarantine';
import { openSignerCheck, type Verdict } from '@/lib/refunds/recovery/signer-check';
import { SignerClient } from '@/lib/signer/client';
import { decideSchedule } from './decide';
import type { ScheduleKey } from './rows';

/** Schedules that one run decides. */
const MAX_AT_ONCE = 100;

/** Whether the signer's journal agrees with the database (lib/refunds/recovery/signer-check), asked anew each time. */
type AskSigner = (context: Context) => Promise<Verdict>;

/** Compares with the journal of the signer at a socket. */
export const signerAt =
  (socket: string): AskSigner =>
  (context) =>
    openSignerCheck(new SignerClient(socket), [])(context);

/**
 * Decides schedules whose period has started, and thresholds whose balance is large enough; nothing while the signer and the database do not
 * agree. A database that was restored from a backup lacks payouts that the signer has signed. Requested again from the balance of the backup,
 * they would have other amounts, and could not be recovered from the journal any more.
 */
export const scheduleStep =
  (askSigner: AskSigner): Step =>
  async (context) => {
    const due = await dueSchedules(context);
    if (due.length === 0 || (await askSigner(context)) !== 'ok') return { more: false };
    return decideAll(context, due);
  };

async function decideAll(context: Context, due: readonly ScheduleKey[]): Promise<{ more: boolean }> {
  const subjects = due.map((key) => ({ kind: 'payout_schedule' as const, id: subjectOf(key), ...key }));
  const done = await eachAlone(context, 'request scheduled payouts', subjects, (key) => decideSchedule(context, key));
  const ids = done.map(({ id }) => id);
  await endQuarantine(context.pool, { kind: 'payout_schedule', ids, now: context.clock.now() });
  return { more: due.length === MAX_AT_ONCE && done.length > 0 };
}

/** As lib/worker/quarantine finds those that were removed. */
const subjectOf = ({ storeId, environment, network, currency }: ScheduleKey): string =>
  `${storeId} ${environment} ${network} ${currency}`;
const SUBJECT = `s.store_id || ' ' || s.environment || ' ' || s.network || ' ' || s.currency`;

/** The time of a threshold that waits for its balance is in the past, so it is due as soon as the balance is large enough. */
async function dueSchedules({ pool, clock, config }: Context): Promise<ScheduleKey[]> {
  const tokens = tokensOf(config);
  const { rows } = await pool.query<ScheduleKey>({
    name: 'payout-schedules-due',
    text: `SELECT s.store_id AS "storeId", s.environment, s.network, s.currency FROM payout_schedules s
             LEFT JOIN unnest($2::text[], $3::text[], $4::text[], $5::numeric[]) AS token (environment, network, currency, cent)
               ON s.interval = 'threshold' AND token.environment = s.environment::text AND token.network = s.network
                 AND token.currency = s.currency
             LEFT JOIN ledger_balances b ON s.interval = 'threshold' AND b.environment = s.environment
               AND b.account = 'store:' || s.store_id AND b.network = s.network AND b.currency = s.currency
           WHERE s.next_run_at <= $1 AND (s.interval <> 'threshold' OR token.cent IS NULL
             OR -b.amount >= (s.keep + s.least) * token.cent)
             AND ${isDueAlone('payout_schedule', SUBJECT, '$1')}
           ORDER BY s.next_run_at, s.store_id, s.environment, s.network, s.currency LIMIT ${MAX_AT_ONCE}`,
    values: [
      clock.now(),
      tokens.map(({ environment }) => environment),
      tokens.map(({ network }) => network),
      tokens.map(({ currency }) => currency),
      tokens.map(({ cent }) => cent),
    ],
  });
  return rows;
}

/** The tokens of all networks with the base units of a cent. */
const tokensOf = ({ TEST_CHAINS }: Pick<Config, 'TEST_CHAINS'>) =>
  NETWORKS.filter((spec) => networkSpec(spec.environment, spec.network, TEST_CHAINS) === spec).flatMap(
    ({ environment, network, tokens }) =>
      Object.entries(tokens).map(([currency, { decimals }]) => ({
        ...{ environment, network, currency },
        cent: String(centsToBaseUnits(1n, decimals)),
      })),
  );
