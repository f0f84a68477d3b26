// Exchange rates for tests: recent reports of two sources on a few currencies, stored as the rate reader stores them.

import type { TestDatabase } from './database/database';

const SOURCES = ['coinbase', 'er-api'];

/** Replaces all rates. `prices`: the amount of each currency per dollar. The settings must name these two sources. */
export async function makeRates(
  { pool, prisma }: TestDatabase,
  now: Date,
  prices: Readonly<Record<string, string>>,
  ageSeconds = 5,
): Promise<void> {
  await pool.query('TRUNCATE rate_observations, rate_sources');
  const at = new Date(now.getTime() - ageSeconds * 1000);
  await prisma.rateSource.createMany({ data: SOURCES.map((source) => ({ source, answeredAt: at })) });
  await prisma.rateObservation.createMany({
    data: SOURCES.flatMap((source) =>
      Object.entries(prices).map(([currency, price]) => ({
        ...{ source, currency, price, per: 'dollar' as const },
        ...{ sourceTime: at, fetchedAt: at },
      })),
    ),
  });
}
