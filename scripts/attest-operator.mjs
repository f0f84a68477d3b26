#!/usr/bin/env node
// `npm run attest-operator -- EMAIL`: the server's administrator attests that an operator with another operator's grant
// is a separate person. Runs the built code of lib/merchants/accounts/attest-operator-command.ts.

import pg from 'pg';
import { runCommand, theDatabase } from './start/command.mjs';

await runCommand('attest-operator', async ({ runAttestOperator }, words) => {
  const pool = new pg.Pool({ connectionString: theDatabase(), max: 1 });
  pool.on('error', () => {}); // A lost connection fails the statement that waits for it.
  try {
    return await runAttestOperator(words, { pool, clock: { now: () => new Date() }, print: console.log });
  } finally {
    await pool.end();
  }
});
