#!/usr/bin/env node
// `npm run addresses`: states the next deposit address of a watch-only wallet after its database was restored. What it does is in
// lib/wallet/next-index-command.ts, as it was built.

import fs from 'node:fs';
import path from 'node:path';

const BUILT = path.join(import.meta.dirname, '../dist/addresses.mjs');

process.exitCode = await main();

async function main() {
  const { DATABASE_URL } = process.env;
  if (!DATABASE_URL) return refuse('DATABASE_URL is not set: name the database of the installation.');
  if (!fs.existsSync(BUILT)) return refuse('Not built yet: run `npm run build` first.');
  try {
    const { runAddresses } = await import(BUILT);
    return await runAddresses(process.argv.slice(2), { databaseUrl: DATABASE_URL, print: console.log });
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

function refuse(why) {
  console.error(why);
  return 1;
}
