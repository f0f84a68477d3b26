// Shares the heads of endpoints through the database, in the rows of endpoint health (record-endpoints.ts). Nothing is shared
// before that row exists. A row of another address at the same position in the settings is ignored.

import type { Head } from '@/lib/networks/chain';
import { endpointSource } from '@/lib/networks/endpoints/source';
import type { HeadStore, KnownHead, SharedHead } from '@/lib/networks/endpoints/shared-head';
import { fromUnixSeconds, unixSeconds } from '@/lib/platform/clock';
import type { Context } from '@/lib/platform/context';

/** The clocks of two workers differ by less. A head from further in the future is ignored and replaced. */
const AHEAD = `interval '1 second'`;
/** A node that is behind replaces the head of one that is ahead only when that head is this old. */
const KEPT = `interval '1 minute'`;

type Row = { tip_number: string; tip_time: Date; final_number: string; final_time: Date; head_read_at: Date };

/** Opens the store. It reads nothing before the first use. */
export const openHeadStore = ({ pool, clock }: Pick<Context, 'pool' | 'clock'>): HeadStore => ({
  of({ environment, network, position, url, lastsMs }): SharedHead {
    const source = endpointSource(url);
    const place = [environment, network, position, source];
    return {
      lastsMs,
      async recent(mostAgeMs) {
        const { rows } = await pool.query<Row>({
          name: 'endpoint_head_recent',
          text: `SELECT tip_number, tip_time, final_number, final_time, head_read_at FROM endpoints
            WHERE environment = $1::"Environment" AND network = $2 AND position = $3 AND head_source = $4
              AND head_read_at BETWEEN $5::timestamptz - $6::float8 * interval '1 millisecond' AND $5::timestamptz + ${AHEAD}`,
          values: [...place, clock.now(), mostAgeMs],
        });
        return rows[0] ? readRow(rows[0]) : null;
      },
      async keep({ tip, final }: Head) {
        await pool.query({
          name: 'endpoint_head_keep',
          text: `UPDATE endpoints SET tip_number = $6, tip_time = $7, final_number = $8, final_time = $9,
              head_source = $4, head_read_at = $5
            WHERE environment = $1::"Environment" AND network = $2 AND position = $3
              AND (head_source IS DISTINCT FROM $4 OR final_number <= $8
                OR head_read_at NOT BETWEEN $5::timestamptz - ${KEPT} AND $5::timestamptz + ${AHEAD})`,
          values: [
            ...place,
            clock.now(),
            tip.number,
            fromUnixSeconds(tip.time),
            final.number,
            fromUnixSeconds(final.time),
          ],
        });
      },
    };
  },
});

const readRow = (row: Row): KnownHead => ({
  tip: { number: Number(row.tip_number), time: unixSeconds(row.tip_time) },
  final: { number: Number(row.final_number), time: unixSeconds(row.final_time) },
  readAt: row.head_read_at.getTime(),
});
