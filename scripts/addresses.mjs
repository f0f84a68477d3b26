#!/usr/bin/env node
// `npm run addresses`: states the next deposit address of a watch-only wallet after its database was restored (`next-index`), or
// has the worker read the history of one address (`scan`). What it does is in lib/wallet/next-index-command.ts and
// lib/reconcile/balances/scan-command.ts, as they were built.

import fs from 'node:fs';
import path from 'node:path';

const DIST = path.join(import.meta.dirname, '../dist');

process.exitCode = await main();

async function main() {
  const { DATABASE_URL } = process.env;
  if (!DATABASE_URL) return refuse('DATABASE_URL is not set: name the database of the installation.');
  if (!fs.existsSync(path.join(DIST, 'addresses.mjs'))) return refuse('Not built yet: run `npm run build` first.');
  const [command, ...words] = process.argv.slice(2);
  const options = { databaseUrl: DATABASE_URL, print: console.log };
  try {
    if (command === 'scan') {
      const { runScan } = await import(path.join(DIST, 'scan-address.mjs'));
      return await runScan(words, options);
    }
    const { runAddresses } = await import(path.join(DIST, 'addresses.mjs'));
    return await runAddresses(process.argv.slice(2), options);
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

function refuse(why) {
  console.error(why);
  return 1;
}
