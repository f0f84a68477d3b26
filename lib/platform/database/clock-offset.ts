// How far the clocks of this host and of the database are apart. Leases and deadlines are set by hosts, and deliveries by the database,
// so a process whose host is wrong takes work too early or too late.

import { systemClock, type Clock } from '@/lib/platform/clock';
import type { Pool } from './db';

/** Milliseconds. `offset` is positive when the database is ahead; the true one differs from it by at most `uncertainty`. */
export type ClockOffset = { readonly offset: number; readonly uncertainty: number };

/** `host`: never a test's clock of the application, because the database's cannot be set. */
export async function clockOffset(pool: Pool, host: Pick<Clock, 'now'> = systemClock): Promise<ClockOffset> {
  const client = await pool.connect();
  try {
    const sentAt = host.now().getTime();
    const { rows } = await client.query<{ at: number }>({
      name: 'database-clock',
      text: 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS at',
      values: [],
    });
    const uncertainty = (host.now().getTime() - sentAt) / 2;
    return { offset: Number(rows[0]?.at) - sentAt - uncertainty, uncertainty };
  } finally {
    client.release();
  }
}

/** The offset that is certain, without its sign. */
export const certainOffset = ({ offset, uncertainty }: ClockOffset): number =>
  Math.max(0, Math.abs(offset) - uncertainty);
