#!/usr/bin/env node
// `npm run re-vouch`: proves payments that were stored without EVIDENCE_KEY or with a former one. It takes the settings of the
// worker and the owner's DATABASE_URL. What it does is in lib/payments/watcher/backfill/reattest-command.ts, as it was built.

import { runCommand } from './start/command.mjs';

await runCommand('re-vouch', ({ runReattest }) => runReattest(process.env, console.log));
