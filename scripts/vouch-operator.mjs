#!/usr/bin/env node
// `npm run vouch-operator -- EMAIL`: the administrator of the server attests that an operator whom another one made is a person of their own. What it
// does is in lib/merchants/accounts/attest-operator-command.ts, as it was built.

import pg from 'pg';
import { runCommand, theDatabase } from './start/command.mjs';

await runCommand('vouch-operator', async ({ runAttestOperator }, words) => {
  const pool = new pg.Pool({ connectionString: theDatabase(), max: 1 });
  pool.on('error', () => {}); // A lost connection fails the statement that waits for it.
  try {
    return await runAttestOperator(words, { pool, clock: { now: () => new Date() }, print: console.log });
  } finally {
    await pool.end();
  }
});
