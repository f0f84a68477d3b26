// `stabletill verify-audit`: checks the audit log, with the settings of web or worker. Runs the built code of
// lib/merchants/audit/verify-command.ts.

import { runProgram } from '../start/command.mjs';

export const command = {
  name: 'verify-audit',
  summary: 'checks that no entry of the audit log was changed or removed',
  usage: `stabletill verify-audit [NUMBER:HEAD …]
Checks the audit log of DATABASE_URL with MASTER_KEYS. NUMBER:HEAD names entries that must still be there, as the worker's log
("audit log head") and an export tell them. Exit code 0 when the log is whole, else 1.`,
  run: (words, { print }) =>
    runProgram('verify-audit', ({ runVerifyAudit }) => runVerifyAudit(words, print), { role: 'worker' }),
};
