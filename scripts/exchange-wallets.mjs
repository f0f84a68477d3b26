#!/usr/bin/env node
// `npm run exchange-wallets`: shows and changes the operator's list of exchange wallets, to which no refund goes
// automatically. Runs the built code of lib/refunds/destination/exchange-wallets/command.ts.

import fs from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { runCommand, theDatabase } from './start/command.mjs';

const SHIPPED = path.join(import.meta.dirname, 'exchange-wallets.txt');
const readFile = (file) => fs.readFileSync(file, 'utf8');

await runCommand('exchange-wallets', async ({ runExchangeWallets }, words) => {
  const db = new pg.Client({ connectionString: theDatabase() });
  db.on('error', () => {}); // A lost connection fails the statement that waits for it.
  try {
    await db.connect();
    const deps = { db, print: console.log, readFile, readShipped: () => readFile(SHIPPED), now: () => new Date() };
    return await runExchangeWallets(words, deps);
  } finally {
    await db.end().catch(() => {}); // Never connected, or connection lost: there is nothing to end.
  }
});
