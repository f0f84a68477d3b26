#!/usr/bin/env node
// `npm run vouch-operator -- EMAIL`: whoever runs the server says that an operator whom another one made is a person of their own,
// in the database at DATABASE_URL. What it does is in lib/accounts/vouch-command.ts, as it was built.

import fs from 'node:fs';
import path from 'node:path';
import pg from 'pg';

const BUILT = path.join(import.meta.dirname, '../dist/vouch-operator.mjs');

process.exitCode = await main();

async function main() {
  const { DATABASE_URL } = process.env;
  if (!DATABASE_URL) return refuse('DATABASE_URL is not set: name the database of the installation.');
  if (!fs.existsSync(BUILT)) return refuse('Not built yet: run `npm run build` first.');
  const { runVouch } = await import(BUILT);
  const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 1 });
  pool.on('error', () => {}); // A lost connection fails the statement that waits for it.
  try {
    const clock = { now: () => new Date() };
    return await runVouch(process.argv.slice(2), { pool, clock, print: console.log });
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  } finally {
    await pool.end();
  }
}

function refuse(why) {
  console.error(why);
  return 1;
}
