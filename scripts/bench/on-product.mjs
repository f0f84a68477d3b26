// Shared set-up for benchmarks of a running installation: a filled database, a web process on it, and a load generator.
// All of them end with the measurement.

import { openBenchDatabase } from './database.mjs';
import { startProduct } from './servers.mjs';
import { buildIfNeeded, openGenerator } from './setup.mjs';

/** Resolves to the result of `measure(generator, server, database)`. */
export async function onProduct(measure) {
  buildIfNeeded();
  const database = await openBenchDatabase();
  const closers = [() => database.stop()];
  try {
    const generator = openGenerator(database);
    closers.push(() => generator.stop());
    const server = await startProduct(database);
    closers.push(() => server.stop());
    return await measure(generator, server, database);
  } finally {
    for (const close of closers.toReversed()) await close();
  }
}
