// A step of the worker: reads what needs an operator, updates the table of alarms, and notifies operators of those that are
// due.

import type { Context } from '@/lib/platform/context';
import { readFacts } from './facts';
import { keepAlarms } from './keep';
import { notifyOperators } from './tell';

export async function tendAlarms(context: Context): Promise<{ more: boolean }> {
  const facts = await readFacts(context);
  const now = context.clock.now();
  await keepAlarms(context.pool, facts, now);
  await notifyOperators(context, now);
  return { more: false };
}
