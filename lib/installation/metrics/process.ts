// What a process knows without any table: its instruments, its connections, whether the database answers, and how far its clock is from
// the database's. Shown whether or not the database answers.

import type { Context } from '@/lib/platform/context';
import type { Pool } from '@/lib/platform/database/db';
import { instruments } from '@/lib/platform/metrics/instruments';
import { textOf, type Numbers } from './numbers';

/** A scraper waits ten seconds at most, and a server that hangs must not take all of them. */
const ANSWER_MILLISECONDS = 3000;

type Deps = Pick<Context, 'pool' | 'clock'>;

export async function processText(deps: Deps): Promise<{ readonly text: string; readonly isDatabaseUp: boolean }> {
  const offset = await clockOffset(deps);
  const database: Numbers[] = [
    {
      name: 'database_up',
      help: '1 while the database answers this process.',
      samples: [{ labels: {}, value: offset === null ? 0 : 1 }],
    },
    {
      name: 'database_clock_offset_seconds',
      help: 'How far the clock of the database is ahead of that of this process.',
      samples: offset === null ? [] : [{ labels: {}, value: offset }],
    },
  ];
  const own = await instruments().registry.metrics();
  return { text: `${own}\n${await textOf([...database, connections(deps.pool)])}`, isDatabaseUp: offset !== null };
}

/** `waiting` are callers without a connection: any that last mean that the pool is too small or the database too slow. */
export const connections = ({ totalCount, idleCount, waitingCount }: Pool, prefix = ''): Numbers => ({
  name: `${prefix}pool_connections`,
  help: 'Connections of this process to the database that are in use or idle, and callers that wait for one.',
  samples: [
    { labels: { state: 'used' }, value: totalCount - idleCount },
    { labels: { state: 'idle' }, value: idleCount },
    { labels: { state: 'waiting' }, value: waitingCount },
  ],
});

/** Seconds, to within half of the round trip; null while the database does not answer. */
async function clockOffset({ pool, clock }: Deps): Promise<number | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ANSWER_MILLISECONDS);
  });
  const before = clock.now().getTime();
  const answered = pool
    .query<{ seconds: number }>({
      name: 'metrics-clock',
      text: 'SELECT extract(epoch FROM clock_timestamp())::float8 AS seconds',
      values: [],
    })
    .then(
      ({ rows }) => {
        const middle = (before + clock.now().getTime()) / 2000;
        return (rows[0]?.seconds ?? middle) - middle;
      },
      // Why it does not answer is in the log of every step and request.
      () => null,
    );
  try {
    return await Promise.race([answered, late]);
  } finally {
    clearTimeout(timer);
  }
}
