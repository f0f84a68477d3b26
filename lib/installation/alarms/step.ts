// A step of the worker: reads what needs an operator, updates the table of alarms, and notifies operators of those that are due. A source
// that cannot be read delays no alarm of another one.

import { systemClock, type Clock } from '@/lib/platform/clock';
import type { Context } from '@/lib/platform/context';
import { readFacts } from './facts';
import { updateAlarms } from './update';
import { notifyOperators } from './notify';

/** `host`: the clock of this machine. */
export async function runAlarms(context: Context, host: Pick<Clock, 'now'> = systemClock): Promise<{ more: boolean }> {
  const { facts, errors } = await readFacts(context, host);
  const now = context.clock.now();
  await updateAlarms(context.pool, facts, { now, isWhole: errors.length === 0 });
  await notifyOperators(context, now);
  // The failure of the step is an alarm itself.
  if (errors.length > 0) throw errors[0];
  return { more: false };
}
