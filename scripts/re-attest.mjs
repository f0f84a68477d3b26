#!/usr/bin/env node
// `npm run re-attest`: attests payments stored without EVIDENCE_KEY or with a former key. It needs the worker's settings
// and the owner's DATABASE_URL. Runs the built lib/payments/watcher/backfill/reattest-command.ts.

import { runCommand } from './start/command.mjs';

await runCommand('re-attest', ({ runReattest }) => runReattest(process.env, console.log));
