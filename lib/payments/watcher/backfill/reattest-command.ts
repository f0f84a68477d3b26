// The command `npm run re-attest`, bundled for scripts/stabletill/re-attest.mjs. It attests the payments of every followed network that were
// stored without EVIDENCE_KEY or with a former key.

import { ChainError } from '@/lib/networks/chain';
import { openChains } from '@/lib/networks/registry';
import { systemClock } from '@/lib/platform/clock';
import { readConfig } from '@/lib/platform/config/config';
import { openPool } from '@/lib/platform/database/db';
import { openLog } from '@/lib/platform/log';
import { reattest } from './reattest';

const CONNECTIONS = 2;

/** Runs the command with the settings of the worker and the owner's DATABASE_URL. Returns the exit code: 0 when every payment is attested. */
export async function runReattest(
  environment: Record<string, string | undefined>,
  print: (line: string) => void,
): Promise<number> {
  const config = readConfig(environment);
  const key = config.EVIDENCE_KEY;
  if (!key) throw new Error('EVIDENCE_KEY is not set: run this with the settings of the worker.');
  const log = openLog('worker', 'error');
  const pool = openPool(config.DATABASE_URL, CONNECTIONS);
  let hasFailures = false;
  try {
    for (const chain of openChains(config, { clock: systemClock, log })) {
      const name = `${chain.environment} ${chain.network}`;
      try {
        const { proven, failed } = await reattest({ pool, clock: systemClock, log, config }, chain, key);
        print(`${name}: ${proven} proven, ${failed.length} failed`);
        for (const one of failed) print(`  ${one}`);
        hasFailures ||= failed.length > 0;
      } catch (error) {
        if (!(error instanceof ChainError)) throw error;
        print(`${name}: it cannot be read (${error.fault}: ${error.message})`);
        hasFailures = true;
      }
    }
  } finally {
    await pool.end();
  }
  return hasFailures ? 1 : 0;
}
