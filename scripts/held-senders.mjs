#!/usr/bin/env node
// `npm run held-senders`: shows and changes the operator's list of senders that no refund goes back to by itself, such as
// exchanges, in the database at DATABASE_URL. What it does is in lib/refunds/held-senders-command.ts, as it was built.

import fs from 'node:fs';
import path from 'node:path';
import pg from 'pg';

const BUILT = path.join(import.meta.dirname, '../dist/held-senders.mjs');
const SHIPPED = path.join(import.meta.dirname, 'exchange-wallets.txt');

process.exitCode = await main();

async function main() {
  const { DATABASE_URL } = process.env;
  if (!DATABASE_URL) return refuse('DATABASE_URL is not set: name the database of the installation.');
  if (!fs.existsSync(BUILT)) return refuse('Not built yet: run `npm run build` first.');
  const { runHeldSenders } = await import(BUILT);
  const db = new pg.Client({ connectionString: DATABASE_URL });
  db.on('error', () => {}); // A lost connection fails the statement that waits for it.
  try {
    await db.connect();
    const readFile = (file) => fs.readFileSync(file, 'utf8');
    const deps = { db, print: console.log, readFile, readShipped: () => readFile(SHIPPED), now: () => new Date() };
    return await runHeldSenders(process.argv.slice(2), deps);
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  } finally {
    await db.end().catch(() => {}); // Never connected, or lost meanwhile: there is nothing left to end.
  }
}

function refuse(why) {
  console.error(why);
  return 1;
}
