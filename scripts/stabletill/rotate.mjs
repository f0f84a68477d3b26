// `stabletill rotate`: replaces keys and passphrases while the installation runs. Runs the built code of
// lib/installation/rotation/command.ts; the signer program does what concerns the keystore.

import { runProgram } from '../start/command.mjs';

export const command = {
  name: 'rotate',
  summary: 'replaces master keys, without a stop',
  usage: `stabletill rotate master-keys [--check]
    re-seals every secret of the database that is under a former key of MASTER_KEYS, and says how many rows are under each version. First
    every process needs the new key: MASTER_KEYS=1:…,2:…:opens, and after that MASTER_KEYS=1:…,2:… (docs/operate/rotation.md). It may be
    interrupted and run again at any time, also beside running processes. Run it until it exits with 0; then the former key may go.
stabletill rotate audit-key VERSION
    prints the entry that keeps the audit log's entries of a former version verifiable and opens no secret. Put it in that version's place.
It needs the owner's DATABASE_URL and the settings of the worker.
Exit codes: 0 no row needs a former key, 1 some do or failed, 2 wrong usage.`,
  options: {
    '--check': 'only counts, and changes nothing',
    '--json': 'prints the counts as one JSON object',
  },
  run: (words, { print }) =>
    runProgram('rotate', ({ runRotate }) => runRotate(words, { environment: process.env, print })),
};
