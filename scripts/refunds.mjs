#!/usr/bin/env node
// `npm run refunds`: compares the database at DATABASE_URL with the journal of the signer at SIGNER_SOCKET, and brings a restored
// database level with it. What it does is in lib/refunds/recover-command.ts, as it was built.

import fs from 'node:fs';
import path from 'node:path';

const BUILT = path.join(import.meta.dirname, '../dist/refunds.mjs');

process.exitCode = await main();

async function main() {
  const { DATABASE_URL, SIGNER_SOCKET, TEST_CHAINS } = process.env;
  const words = process.argv.slice(2);
  if (!fs.existsSync(BUILT)) return refuse('Not built yet: run `npm run build` first.');
  const isHelp = words[0] === '--help' || words.length === 0;
  if (!DATABASE_URL && !isHelp) return refuse('DATABASE_URL is not set: name the database of the installation.');
  if (!SIGNER_SOCKET && !isHelp) return refuse('SIGNER_SOCKET is not set: name the socket of the running signer.');
  const settings = { databaseUrl: DATABASE_URL, signerSocket: SIGNER_SOCKET, testChains: TEST_CHAINS };
  try {
    const { runRefundsCommand } = await import(BUILT);
    return await runRefundsCommand(words, settings, console.log);
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

function refuse(why) {
  console.error(why);
  return 1;
}
