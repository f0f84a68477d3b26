// What must hold after the upgrade drill beside the guarantees of the failover drill, of refunds and of sweeps: no request failed at the
// balancer, and a merchant's cursor saw the events in the order of their positions.

import { inDatabase } from '../../crash/database.mjs';

/** What was under way: the drill means little without it. */
export const openWork = (dataDir) =>
  inDatabase(dataDir, async (query) => {
    const [row] = await query(
      `SELECT (SELECT count(*)::int FROM refunds WHERE status IN ('pending', 'processing')) AS refunds,
         (SELECT count(*)::int FROM payouts WHERE status IN ('pending', 'processing')) AS payouts,
         (SELECT count(*)::int FROM sessions WHERE status = 'pending') AS sessions,
         (SELECT count(*)::int FROM deliveries WHERE status = 'pending') AS deliveries,
         (SELECT count(DISTINCT network)::int FROM refunds WHERE status = 'completed') AS networks`,
    );
    return row;
  });

/**
 * @param {{ dataDir: string, merchants: import('../../crash/merchant.mjs').Merchant[], balancer: import('./balancer.mjs').Balancer, readers: { storeId: string, seen: string[] }[], ends: { since: number, until: number }[] }} scene
 * `ends`: when web processes of a release that does not announce its end were ended
 */
export async function judgeUpgrade({ dataDir, merchants, balancer, readers, ends }) {
  const faults = merchants.flatMap((one) => one.faults);
  const isExcused = ({ at }) => ends.some(({ since, until }) => at >= since && at <= until);
  const unanswered = faults.filter(({ status }) => status === 0);
  const late = unanswered.filter(({ what }) => what.includes('TimeoutError'));
  const lost = unanswered.filter((one) => !late.includes(one));
  const lines = (list) => list.map(({ at, what }) => `${new Date(at).toISOString()} ${what}`);
  const order = await inDatabase(dataDir, async (query) => {
    const wrong = [];
    for (const { storeId, seen } of readers) {
      const rows = await query(
        `SELECT id FROM events WHERE store_id = $1 AND environment = 'test' AND id = ANY($2) ORDER BY written_in, id`,
        [storeId, seen],
      );
      const at = rows.findIndex(({ id }, n) => id !== seen[n]);
      if (at >= 0) wrong.push(`store ${storeId}: ${seen[at]} came before ${rows[at].id}`);
    }
    return wrong;
  });
  return {
    excused: lost.filter(isExcused).length,
    guarantees: [
      {
        guarantee: 'no request is answered with a status of 5xx',
        broken: lines(faults.filter(({ status }) => status)),
      },
      { guarantee: 'every request is answered within five seconds', broken: lines(late) },
      {
        guarantee: 'no request loses its connection while processes of this release start and end',
        broken: lines(lost.filter((one) => !isExcused(one))),
      },
      { guarantee: 'the balancer always finds a process that takes the connection', broken: balancer.refused },
      { guarantee: 'a merchant’s cursor sees the events in the order of their positions', broken: order },
    ],
  };
}
