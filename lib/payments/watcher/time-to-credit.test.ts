// How soon a payment reaches the merchant after its block became final, at the block rate of the main networks and with the requests that
// requests.test.ts counts. The bound covers the poll interval; `npm run bench -- requests` adds the time of the machine and judges the sum.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '@/lib/platform/clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { testConfig, testContext } from '@/testing/fixtures';
import type { MeasuredNetwork } from '@/testing/watching/network-scene';
import { measureLatency, median } from '@/testing/watching/latency-scene';

let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());

/** Milliseconds at the median: below the second and a half from finality to the webhook. */
const MAX = 1400;

/** Network, payments, milliseconds between two of them. Ethereum makes 32 blocks final at once. */
const MEASURED: readonly [MeasuredNetwork, number, number][] = [
  ['ethereum', 5, 391_000],
  ['bsc', 15, 7_700],
  ['tron', 15, 10_300],
  ['solana', 15, 7_700],
];

it.each(MEASURED)(
  '%s: %i payments reach the merchant in time',
  async (network, payments, apartMs) => {
    const context = testContext(db, systemClock, testConfig());
    const waits = await measureLatency(db, context, { network, payments, apartMs });
    const total = median(waits.map((wait) => wait.network + wait.machine));
    // Read by `npm run bench -- requests`.
    console.log(`finality to webhook: ${network}: ${Math.round(total)} ms`);
    expect(median(waits.map((wait) => wait.network))).toBeLessThanOrEqual(MAX);
  },
  180_000,
);
