// A step of the worker: reads what needs an operator, updates the table of alarms, and notifies operators of those that are
// due.

import type { Context } from '@/lib/platform/context';
import { readFacts } from './facts';
import { updateAlarms } from './update';
import { notifyOperators } from './notify';

export async function runAlarms(context: Context): Promise<{ more: boolean }> {
  const facts = await readFacts(context);
  const now = context.clock.now();
  await updateAlarms(context.pool, facts, now);
  await notifyOperators(context, now);
  return { more: false };
}
