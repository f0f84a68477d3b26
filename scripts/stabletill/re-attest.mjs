// `stabletill re-attest`: attests payments stored without EVIDENCE_KEY or with a former key. Runs the built code of
// lib/payments/watcher/backfill/reattest-command.ts.

import { runProgram } from '../start/command.mjs';
import { WrongUsage } from '../start/refusal.mjs';

export const command = {
  name: 're-attest',
  summary: 'attests payments that were stored without EVIDENCE_KEY or with a former key',
  usage: `stabletill re-attest
Needs the settings of the worker and the owner's DATABASE_URL. It may be run again at any time.`,
  run: (words, { print }) => {
    if (words.length > 0) throw new WrongUsage();
    return runProgram('re-attest', ({ runReattest }) => runReattest(process.env, print));
  },
};
