#!/usr/bin/env node
// `npm run sanctions`: makes, loads and shows the operator's signed sanctions list. Runs the built code of
// lib/screening/list/command.ts.

import fs from 'node:fs';
import pg from 'pg';
import { runCommand, theDatabase } from './start/command.mjs';

await runCommand('sanctions', async ({ runSanctions }, words) => {
  const pool = new pg.Pool({ connectionString: theDatabase(), max: 1, options: '-c TimeZone=UTC' });
  pool.on('error', () => {}); // A lost connection fails the statement that waits for it.
  try {
    return await runSanctions(words, {
      pool,
      print: console.log,
      readFile: (file) => fs.readFileSync(file),
      writeFile: (file, text) => fs.writeFileSync(file, text),
      key: process.env.SCREENING_LIST_KEY,
      now: () => new Date(),
    });
  } finally {
    await pool.end();
  }
});
