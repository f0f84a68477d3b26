// The worker's delivery loop: woken by the database when an event is committed and by every call that ends, and otherwise
// looking a few times a second for retries that came due. The only catch of deliveries in the worker.

import type { Context } from '@/lib/platform/context';
import { openAlarm } from './wake-up';
import { openDispatcher, type DispatcherOptions } from './deliver';
import { openListener } from './listen';
import { DELIVERIES_CHANNEL } from '@/lib/webhooks/events/record';

/** How late a retry can be at most, and a first attempt when no notification comes through (behind some poolers). */
const POLL_MILLISECONDS = 250;
const PAUSE_AFTER_FAULT_MILLISECONDS = 1000;
/** How long the end waits for calls in flight. One that takes longer is made again when its lease has run out. */
const LONGEST_FAREWELL_MILLISECONDS = 10_000;

/** Delivers until `stop` is aborted, then lets calls in flight end, for ten seconds at most. */
export async function runDeliveries(
  context: Context,
  stop: AbortSignal,
  options: DispatcherOptions = {},
): Promise<void> {
  const alarm = openAlarm();
  const dispatcher = openDispatcher(context, { ...options, onRoom: alarm.ring });
  stop.addEventListener('abort', alarm.ring, { once: true });
  const listener = openListener(context.pool, DELIVERIES_CHANNEL, alarm.ring);
  while (!stop.aborted) {
    let pause = POLL_MILLISECONDS;
    try {
      await listener.keepOpen();
      await dispatcher.pump();
    } catch (error) {
      pause = PAUSE_AFTER_FAULT_MILLISECONDS;
      context.log.error({ err: error, pause }, 'deliveries could not be taken and will be tried again');
    }
    await alarm.wait(pause);
  }
  listener.close();
  await dispatcher.idle(LONGEST_FAREWELL_MILLISECONDS);
  dispatcher.close();
}
