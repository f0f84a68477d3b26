#!/usr/bin/env node
// `npm run verify-audit`: checks the audit log, with the settings of web or worker. What it does is in lib/audit/verify-command.ts, as
// it was built.

import fs from 'node:fs';
import path from 'node:path';

const BUILT = path.join(import.meta.dirname, '../dist/verify-audit.mjs');

process.exitCode = await main();

async function main() {
  if (!fs.existsSync(BUILT)) return refuse('Not built yet: run `npm run build` first.');
  try {
    const { runVerifyAudit } = await import(BUILT);
    return await runVerifyAudit(process.argv.slice(2), console.log);
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

function refuse(why) {
  console.error(why);
  return 1;
}
