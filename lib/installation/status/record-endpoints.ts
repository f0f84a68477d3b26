// Writes down how the endpoints of a chain fare, as this worker sees it, for the status page and the metrics. Nothing is
// decided by it. It also looks after those that are not asked otherwise, so that at the start of the worker every endpoint
// proves its chain and its tokens, or is refused, and the log says which.

import type { OpenedChain } from '@/lib/networks/registry';
import type { EndpointHealth } from '@/lib/networks/endpoints/health';
import type { Context, Step } from '@/lib/platform/context';

/** What did not change is written again after so long, so that readers can tell a silent worker from a calm one. */
const REPEAT_MS = 15_000;

/** The step of one chain. One endpoint's silence keeps no other from being looked after. */
export function recordEndpoints({ environment, network, endpoints }: OpenedChain): Step {
  let written = { states: '', at: Number.NEGATIVE_INFINITY };
  return async (context) => {
    await endpoints.check();
    const health = endpoints.health();
    const now = context.clock.now();
    const states = JSON.stringify(health.map(({ state, message }) => [state, message]));
    if (states === written.states && now.getTime() - written.at < REPEAT_MS) return { more: false };
    await write(context, { environment, network, health, now });
    written = { states, at: now.getTime() };
    return { more: false };
  };
}

type Record = Pick<OpenedChain, 'environment' | 'network'> & {
  readonly health: readonly EndpointHealth[];
  readonly now: Date;
};

/** One statement: those that the settings no longer name go, the others are as they are now. */
async function write({ pool }: Context, { environment, network, health, now }: Record): Promise<void> {
  const text = `WITH gone AS (DELETE FROM endpoints
      WHERE environment = $1::"Environment" AND network = $2 AND position > $4)
    INSERT INTO endpoints (environment, network, position, state, message, height, failures, since, checked_at)
    SELECT $1::"Environment", $2, position, state, message, height, failures, since, $3
    FROM unnest($5::int[], $6::text[], $7::text[], $8::bigint[], $9::int[], $10::timestamptz[])
      AS seen (position, state, message, height, failures, since)
    ON CONFLICT (environment, network, position) DO UPDATE
    SET state = EXCLUDED.state, message = EXCLUDED.message, failures = EXCLUDED.failures, checked_at = EXCLUDED.checked_at,
      height = COALESCE(EXCLUDED.height, endpoints.height),
      since = CASE WHEN endpoints.state = EXCLUDED.state THEN endpoints.since ELSE EXCLUDED.since END`;
  const columns = [
    health.map(({ position }) => position),
    health.map(({ state }) => state),
    health.map(({ message }) => message),
    health.map(({ height }) => height),
    health.map(({ failures }) => failures),
    health.map(({ since }) => since),
  ];
  await pool.query({ name: 'endpoints_record', text, values: [environment, network, now, health.length, ...columns] });
}
