// Measures the state of each network and service and adds the time since the last measurement to the day's row, which the
// status page shows as bars. Any number of workers may run it: each adds only the time that no other has added.

import type { Context, Step } from '@/lib/platform/context';
import { HISTORY_DAYS } from './history';
import { readStatus } from './read';
import { readServices } from './services';

/** At most this much of an outage may be attributed to the state before or after it. */
export const STATUS_MILLISECONDS = 15_000;
/** The same while no session is pending. */
export const QUIET_STATUS_MILLISECONDS = 60_000;
/**
 * A longer pause was not measured, because the worker did not run. It exceeds the slowest interval at which a host calls the
 * cron route.
 */
const MAX_PAUSE_SECONDS = 180;

type Measured = { readonly environment: string; readonly subject: string; readonly state: 'ok' | 'delayed' | 'down' };

/** One statement. It also deletes days that are no longer shown. */
export const recordStatus: Step = async (context) => {
  const measured = await measure(context);
  if (measured.length === 0) return { more: false };
  const second = Math.floor(context.clock.now().getTime() / 1000) * 1000;
  await context.pool.query({
    name: 'status_record',
    text: `WITH moment AS (SELECT $1::timestamptz AS at, ($1::timestamptz AT TIME ZONE 'UTC')::date AS day),
        gone AS (DELETE FROM status_days WHERE day <= (SELECT day FROM moment) - ${HISTORY_DAYS})
      INSERT INTO status_days AS d (environment, subject, day, state, measured_at)
      SELECT environment, subject, day, state, at
      FROM moment, unnest($2::"Environment"[], $3::text[], $4::text[]) AS m (environment, subject, state)
      ORDER BY environment, subject
      ON CONFLICT (environment, subject, day) DO UPDATE SET state = EXCLUDED.state, measured_at = EXCLUDED.measured_at,
        good_seconds = d.good_seconds + ${secondsOf('ok')},
        impaired_seconds = d.impaired_seconds + ${secondsOf('delayed')},
        down_seconds = d.down_seconds + ${secondsOf('down')}
      WHERE EXCLUDED.measured_at > d.measured_at`,
    values: [
      new Date(second),
      measured.map(({ environment }) => environment),
      measured.map(({ subject }) => subject),
      measured.map(({ state }) => state),
    ],
  });
  return { more: false };
};

/** The time since the last measurement, if it was measured and belongs to this state. */
const secondsOf = (state: Measured['state']): string =>
  `CASE WHEN EXCLUDED.state = '${state}' AND EXCLUDED.measured_at <= d.measured_at + interval '${MAX_PAUSE_SECONDS} seconds'
    THEN extract(epoch FROM EXCLUDED.measured_at - d.measured_at)::int ELSE 0 END`;

/** A network that was never scanned has no state yet. */
async function measure(context: Context): Promise<readonly Measured[]> {
  const [{ networks }, services] = await Promise.all([readStatus(context), readServices(context)]);
  return [
    ...networks.flatMap(({ environment, network, state }) =>
      state === 'starting' ? [] : [{ environment, subject: network, state }],
    ),
    ...services.map(({ environment, service, state }) => ({ environment, subject: service, state })),
  ];
}
