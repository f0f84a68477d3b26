// The requests that watching costs a day at the block rate of the main networks, idle and with open sessions. The bounds are those of
// ordinary plans; `npm run bench -- requests` prints the numbers.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '@/lib/platform/clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { testConfig, testContext } from '@/testing/fixtures';
import type { MeasuredNetwork } from '@/testing/watching/network-scene';
import { measureRequests } from '@/testing/request-scene';

let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());

/** Network, open sessions, seconds that are measured, most requests a day. */
const BOUNDS: readonly [MeasuredNetwork, number, number, number][] = [
  ['ethereum', 0, 768, 10_000],
  ['ethereum', 200, 384, 30_000],
  ['bsc', 0, 300, 20_000],
  ['bsc', 200, 60, 180_000],
  ['tron', 0, 360, 30_000],
  ['tron', 200, 180, 60_000],
  ['solana', 0, 360, 10_000],
  ['solana', 200, 120, 400_000],
];

it.each(BOUNDS)(
  '%s with %i open sessions stays below its bound',
  async (network, open, seconds, most) => {
    const measured = await measureRequests(testContext(db, systemClock, testConfig()), { network, open, seconds });
    // Read by `npm run bench -- requests`.
    console.log(`requests a day: ${network}, ${open} open: ${measured.perDay} ${JSON.stringify(measured.methods)}`);
    expect(measured.perDay).toBeGreaterThan(0);
    expect(measured.perDay).toBeLessThanOrEqual(most);
  },
  120_000,
);
