// The requests of a whole installation to an endpoint in a day, idle and with open sessions. The bounds are those of
// TronGrid's free plan, the smallest. `npm run bench -- requests` measures the other networks too.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '@/lib/platform/clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { testConfig, testContext } from '@/testing/fixtures';
import { measureInstallation } from '@/testing/watching/installation-scene';
import { MEASURED, type MeasuredNetwork } from '@/testing/watching/network-scene';

let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());

/** Open sessions, measured seconds, maximum requests per day. */
const BOUNDS: Readonly<Record<MeasuredNetwork, readonly [number, number, number][]>> = {
  ethereum: [
    [0, 900, 12_500],
    [200, 600, 40_000],
  ],
  bsc: [
    [0, 900, 13_500],
    [200, 300, 200_000],
  ],
  tron: [
    [0, 900, 30_000],
    [200, 600, 60_000],
  ],
  solana: [
    [0, 900, 60_000],
    [200, 300, 500_000],
  ],
};
/** All of them take minutes. */
const NETWORKS: readonly MeasuredNetwork[] = process.env.MEASURE_ALL ? MEASURED : ['tron'];

it.each(NETWORKS.flatMap((network) => BOUNDS[network].map((bound) => [network, ...bound] as const)))(
  'all requests on %s with %i open sessions stay below their bound',
  async (network, open, seconds, most) => {
    const measured = await measureInstallation(testContext(db, systemClock, testConfig()), { network, open, seconds });
    // Read by `npm run bench -- requests`.
    const { perDay, parts, each } = measured;
    console.log(`everything a day: ${network}, ${open} open: ${perDay} ${JSON.stringify({ parts, each })}`);
    expect(perDay).toBeGreaterThan(0);
    expect(perDay).toBeLessThanOrEqual(most);
  },
  240_000,
);
