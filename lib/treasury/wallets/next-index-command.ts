// The command `npm run addresses`, bundled for scripts/stabletill/addresses.mjs: states the next deposit address index after a database was restored,
// where the wallet does not know it: a watch-only wallet, or one whose disk was restored from a snapshot.

import { systemClock } from '@/lib/platform/clock';
import { openPool } from '@/lib/platform/database/db';
import { setNextIndex } from './address-pool-renew';
import { INDEX_LIMIT } from './derivation';
import { WRONG_USAGE } from '@/lib/platform/exit-code';

/** Runs one command and returns the exit code. */
export async function runAddresses(
  words: readonly string[],
  { databaseUrl, print }: { readonly databaseUrl: string; readonly print: (line: string) => void },
): Promise<number> {
  const [command, text = '', ...more] = words;
  const next = /^[0-9]{1,10}$/.test(text) ? Number(text) : -1;
  if (command !== 'next-index' || more.length > 0 || next < 0 || next >= INDEX_LIMIT) {
    return WRONG_USAGE;
  }
  const pool = openPool(databaseUrl, 1);
  try {
    const done = await setNextIndex({ pool, clock: systemClock }, next);
    if (done === 'stated') print(`Deposit addresses are handed out from index ${next} on.`);
    if (done === 'none') print('This database has handed out no address yet: start the worker first.');
    if (done === 'lower') print('This database has used higher indexes already. Nothing was changed.');
    return done === 'stated' ? 0 : 1;
  } finally {
    await pool.end();
  }
}
