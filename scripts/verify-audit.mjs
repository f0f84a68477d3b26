#!/usr/bin/env node
// `npm run verify-audit`: checks the audit log, with the settings of web or worker. What it does is in lib/merchants/audit/verify-command.ts, as
// it was built.

import { runCommand } from './start/command.mjs';

await runCommand('verify-audit', ({ runVerifyAudit }, words) => runVerifyAudit(words, console.log), { role: 'worker' });
