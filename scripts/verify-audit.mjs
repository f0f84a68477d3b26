#!/usr/bin/env node
// `npm run verify-audit`: checks the audit log, with the settings of web or worker. Runs the built code of
// lib/merchants/audit/verify-command.ts.

import { runCommand } from './start/command.mjs';

await runCommand('verify-audit', ({ runVerifyAudit }, words) => runVerifyAudit(words, console.log), { role: 'worker' });
