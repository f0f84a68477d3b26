#!/usr/bin/env node
// `npm run re-vouch`: proves payments that were stored without EVIDENCE_KEY or with a former one. It takes the settings of the
// worker and the owner's DATABASE_URL. What it does is in lib/watcher/re-vouch-command.ts, as it was built.

import fs from 'node:fs';
import path from 'node:path';

const BUILT = path.join(import.meta.dirname, '../dist/re-vouch.mjs');

process.exitCode = await main();

async function main() {
  if (!fs.existsSync(BUILT)) return refuse('Not built yet: run `npm run build` first.');
  try {
    const { runReVouch } = await import(BUILT);
    return await runReVouch(process.env, console.log);
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

function refuse(why) {
  console.error(why);
  return 1;
}
