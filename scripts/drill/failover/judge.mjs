// What must hold after the drill beside the guarantees for refunds, payouts and sweeps: every accepted create exists
// once, and events were neither skipped nor repeated for a client that paged through them all the time.

import { inDatabase } from '../../crash/database.mjs';

const BATCH = 5000;

const eventsOf = async (query, storeId) =>
  (await query(`SELECT id FROM events WHERE store_id = $1 AND environment = 'test'`, [storeId])).map(({ id }) => id);

/** Reads to the end of the store's list. `before`: the events that were there when the last reading began. */
export async function finishReading(dataDir, { storeId, reader }) {
  const before = await inDatabase(dataDir, (query) => eventsOf(query, storeId));
  return { storeId, before, seen: await reader.stop() };
}

/**
 * @param {{ dataDir: string, load: import('./load.mjs').Load, readers: { storeId: string, before: string[], seen: string[] }[], receiver: any, comparer: import('./witnesses.mjs').Comparer }} scene
 */
export const judgeFailover = ({ dataDir, load, readers, receiver, comparer }) =>
  inDatabase(dataDir, async (query) => {
    const accepted = load.accepted.map(({ id }) => id);
    const found = new Set();
    for (let n = 0; n < accepted.length; n += BATCH) {
      const rows = await query('SELECT id FROM sessions WHERE id = ANY($1)', [accepted.slice(n, n + BATCH)]);
      for (const { id } of rows) found.add(id);
    }
    const twice = await query(
      `SELECT concat_ws(' ', store_id, order_id, count(*)) AS what FROM sessions WHERE order_id LIKE 'crash-%'
       GROUP BY store_id, order_id HAVING count(*) > 1`,
    );
    const listed = [];
    for (const one of readers) listed.push({ ...one, present: new Set(await eventsOf(query, one.storeId)) });
    const told = new Set(receiver.all().map(({ headers }) => headers['x-service-event-id']));
    const sent = await query(`SELECT DISTINCT event_id AS id FROM deliveries`);
    return [
      {
        guarantee: `every create that was answered with 201 exists (${accepted.length})`,
        broken: accepted.filter((id) => !found.has(id)),
      },
      { guarantee: 'one create is one session', broken: twice.map(({ what }) => what) },
      {
        guarantee: `a client that pages with its cursor skips no event (${listed.reduce((sum, { seen }) => sum + seen.length, 0)})`,
        broken: listed.flatMap(({ seen, before }) => before.filter((id) => !seen.includes(id))),
      },
      {
        guarantee: 'and gets none twice, and none that does not exist',
        broken: listed.flatMap(({ seen, present }) => [
          ...seen.filter((id, n) => seen.indexOf(id) !== n),
          ...seen.filter((id) => !present.has(id)),
        ]),
      },
      {
        guarantee: `the receiver got every event that had a delivery (${sent.length})`,
        broken: sent.filter(({ id }) => !told.has(id)).map(({ id }) => id),
      },
      {
        guarantee: `web processes are interchangeable: read at the other at once, repeated with the same key (${comparer.compared})`,
        broken: comparer.compared > 0 ? comparer.broken : ['nothing was compared'],
      },
    ];
  });
