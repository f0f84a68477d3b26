// The watcher whose requests are counted, a process of its own on a database of its own. It answers by IPC what each network
// costs a day, idle and with open sessions.

import { randomBytes } from 'node:crypto';
import { systemClock } from '@/lib/clock';
import { readConfig } from '@/lib/config';
import { openPool } from '@/lib/db';
import { openLog } from '@/lib/log';
import { MEASURED, measureRequests } from '@/lib/testing/request-scene';

const OPEN = [0, 200];
/** Of each network's time: some epochs of Ethereum, some minutes of the others. */
const SECONDS = { ethereum: 2304, bsc: 300, tron: 900, solana: 300 } as const;

const [url = ''] = process.argv.slice(2);

async function main(): Promise<void> {
  const pool = openPool(url, 3);
  const config = readConfig({
    DATABASE_URL: url,
    MASTER_KEYS: `1:${randomBytes(32).toString('base64')}`,
    EVIDENCE_KEY: randomBytes(32).toString('base64'),
    TEST_CHAINS: 'local',
  });
  const context = { pool, clock: systemClock, log: openLog('worker', 'error'), config };
  for (const network of MEASURED) {
    for (const open of OPEN) {
      process.send?.(await measureRequests(context, { network, open, seconds: SECONDS[network] }));
    }
  }
  await pool.end();
  process.disconnect();
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
