// The worker's delivery loop. A database notification of a committed event and every finished call wake it. It also
// polls a few times a second for due retries. This is the only catch of deliveries in the worker.

import type { Context } from '@/lib/platform/context';
import { openPool, type Pool } from '@/lib/platform/database/db';
import { openAlarm } from './wake-up';
import { openDispatcher, type DispatcherOptions } from './deliver';
import { openListener } from './listen';
import { DELIVERIES_CHANNEL } from '@/lib/webhooks/events/record';

/** The maximum delay of a retry, and of a first attempt when no notification arrives (behind a pooler). */
const POLL_MILLISECONDS = 250;
/** The same while no delivery waits. A notification still wakes the loop at once, and a waiting delivery within a second (worker/quiet). */
const QUIET_POLL_MILLISECONDS = 60_000;
const PAUSE_AFTER_FAULT_MILLISECONDS = 1000;
/** How long shutdown waits for calls in flight. A longer call is repeated when its lease has run out. */
const LONGEST_FAREWELL_MILLISECONDS = 10_000;

/** Whether no delivery waits, and a call when one does again (lib/worker/quiet.ts). */
type Pacing = { readonly isQuiet: () => boolean; readonly onWork: (run: () => void) => () => void };

/** Delivers until `stop` is aborted, then waits ten seconds at most for calls in flight. */
export async function runDeliveries(
  context: Context,
  stop: AbortSignal,
  { pacing, ...options }: DispatcherOptions & { readonly pacing?: Pacing } = {},
): Promise<void> {
  const alarm = openAlarm();
  pacing?.onWork(alarm.ring);
  const dispatcher = openDispatcher(context, { ...options, onRoom: alarm.ring });
  stop.addEventListener('abort', alarm.ring, { once: true });
  const listening = listeningPool(context);
  const isShared = listening === context.pool;
  let isPolling = false;
  const listener = listening && openListener(listening, DELIVERIES_CHANNEL, alarm.ring);
  const listen = async (): Promise<void> => {
    try {
      await listener?.keepOpen();
      isPolling = false;
    } catch (error) {
      if (isShared) throw error;
      if (!isPolling) context.log.warn({ err: error }, 'DATABASE_DIRECT_URL does not answer: deliveries are polled');
      isPolling = true;
    }
  };
  while (!stop.aborted) {
    let pause = pacing?.isQuiet() ? QUIET_POLL_MILLISECONDS : POLL_MILLISECONDS;
    try {
      await listen();
      await dispatcher.pump();
    } catch (error) {
      pause = PAUSE_AFTER_FAULT_MILLISECONDS;
      context.log.error({ err: error, pause }, 'deliveries could not be leased and will be tried again');
    }
    await alarm.wait(pause);
  }
  listener?.close();
  if (!isShared) await listening?.end();
  await dispatcher.idle(LONGEST_FAREWELL_MILLISECONDS);
  dispatcher.close();
}

/** A notification arrives only on a connection to the database itself. Null when there is only a pooler: then deliveries are polled. */
function listeningPool({ pool, config }: Context): Pool | null {
  if (config.DATABASE_POOLER === 'none') return pool;
  const { DATABASE_DIRECT_URL: url } = config;
  return url === undefined ? null : openPool(url, 1, { DATABASE_POOLER: 'none' });
}
