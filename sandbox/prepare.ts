// Prepares the demo: seeds the accounts and writes sandbox.json, then exits. `npm start` runs it when the chains are up, and
// prints the sign-in addresses and passwords from its one line of JSON.

import fs from 'node:fs';
import { systemClock } from '@/lib/platform/clock';
import { openPool } from '@/lib/platform/database/db';
import { openLog } from '@/lib/platform/log';
import { writeDescription } from './describe';
import { seedDemo } from './seed';
import { prepareSettings } from './settings';

/** Everything here runs sequentially. */
const CONNECTIONS = 2;

const { config, dataDirectory, networks } = prepareSettings();
fs.mkdirSync(dataDirectory, { recursive: true });
const pool = openPool(config.DATABASE_URL, CONNECTIONS);
try {
  const accounts = await seedDemo(
    { pool, clock: systemClock, config, log: openLog('sandbox', 'silent') },
    dataDirectory,
  );
  writeDescription(dataDirectory, { publicUrl: config.PUBLIC_URL, accounts, networks });
  const { operator, merchants } = accounts;
  process.stdout.write(`${JSON.stringify({ operator, merchants })}\n`);
} finally {
  await pool.end();
}
