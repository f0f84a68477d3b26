// The difference between the clocks of this process's host and of the database.

import type { Pool } from '@/lib/platform/database/db';
import { clockOffset } from '@/lib/platform/database/clock-offset';
import type { Numbers } from './numbers';

export async function clockNumbers({ pool }: { readonly pool: Pool }): Promise<Numbers[]> {
  const { offset } = await clockOffset(pool);
  const help = 'Seconds that the clock of the database is ahead of this host.';
  return [{ name: 'clock_offset_seconds', help, samples: [{ labels: {}, value: offset / 1000 }] }];
}
