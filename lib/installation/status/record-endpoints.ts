// Stores the health of a chain's endpoints, as this worker sees it, for the status page and the metrics. No decision depends on
// it. It also checks endpoints without other requests. So at the start of the worker every endpoint proves its chain and its
// tokens or is refused, and the log says which.

import type { OpenedChain } from '@/lib/networks/registry';
import type { EndpointHealth } from '@/lib/networks/endpoints/health';
import type { Context, Step } from '@/lib/platform/context';

/** Unchanged values are written again after this time, so that readers can tell a stopped worker from an idle one. */
const REPEAT_MS = 15_000;

/** The step of one chain. A silent endpoint does not prevent the checks of the others. */
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

/** One statement: deletes endpoints that the settings no longer name and updates the others. */
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
