// The alarm for a worker whose host and database disagree about the time.

import type { Clock } from '@/lib/platform/clock';
import type { Pool } from '@/lib/platform/database/db';
import { certainOffset, clockOffset } from '@/lib/platform/database/clock-offset';
import type { Fact } from './kinds';

/** Leases and chain time tolerate a few seconds; deadlines and one-time codes half a minute. The doctor has the same limits. */
const [WARNING_MS, CRITICAL_MS] = [2000, 30_000];

export async function clockFacts(pool: Pool, host: Pick<Clock, 'now'>): Promise<Fact[]> {
  const off = certainOffset(await clockOffset(pool, host));
  if (off < WARNING_MS) return [];
  const severity = off < CRITICAL_MS ? 'warning' : 'critical';
  return [{ kind: 'clock', subject: '', severity, count: Math.min(Math.round(off / 1000), 1_000_000), newestAt: null }];
}
