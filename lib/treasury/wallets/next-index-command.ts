// The command `npm run addresses`, bundled for scripts/addresses.mjs: states the next deposit address index after a database was restored,
// where the wallet does not know it: a watch-only wallet, or one whose disk was restored from a snapshot.

import { systemClock } from '@/lib/platform/clock';
import { openPool } from '@/lib/platform/database/db';
import { setNextIndex } from './address-pool-renew';
import { INDEX_LIMIT } from './derivation';

const USAGE = `npm run addresses -- next-index N

For watch-only installations after the database was restored or moved: deposit addresses are handed out again, from index N on.
N must be above every index that was ever handed out: take the highest index of the lost database, or of your wallet's history,
and add 10,000. With a signer it is needed only where a disk image or PostgreSQL's files were put back as they were, which nothing
notices: run it before the worker starts, with a million more than wallets.next_index. It needs DATABASE_URL.`;

/** Runs one command and returns the exit code. */
export async function runAddresses(
  words: readonly string[],
  { databaseUrl, print }: { readonly databaseUrl: string; readonly print: (line: string) => void },
): Promise<number> {
  const [command, text = '', ...more] = words;
  const next = /^[0-9]{1,10}$/.test(text) ? Number(text) : -1;
  if (command !== 'next-index' || more.length > 0 || next < 0 || next >= INDEX_LIMIT) {
    print(USAGE);
    return command === '--help' ? 0 : 1;
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
