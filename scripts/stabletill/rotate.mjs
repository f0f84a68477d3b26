// `stabletill rotate`: replaces keys and passphrases while the installation runs. Runs the built code of
// lib/installation/rotation/command.ts; the signer program does what concerns the keystore.

import { runProgram } from '../start/command.mjs';
import { WrongUsage } from '../start/refusal.mjs';
import { runSigner } from '../start/signer-terminal.mjs';

export const command = {
  name: 'rotate',
  summary: 'replaces master keys, the evidence key and the passphrase of the keystore',
  usage: `stabletill rotate master-keys [--check | --give-up-mails VERSION]
    re-seals every secret of the database that is under a former key of MASTER_KEYS, and says how many rows are under each version. First
    every process needs the new key: MASTER_KEYS=1:…,2:…:opens, and after that MASTER_KEYS=1:…,2:… (docs/operate/rotation.md). It may be
    interrupted and run again at any time, also beside running processes. Run it until it exits with 0; then the former key may go.
    Where a key is lost, --give-up-mails with its version names and removes the mails that can no longer be sent.
stabletill rotate audit-key VERSION
    prints the entry that keeps the audit log's entries of a former version verifiable and opens no secret. Put it in that version's place.
stabletill rotate evidence-key [--check]
    makes the MACs of the database anew under the first key of EVIDENCE_KEY, where another key of it verifies them, and says how many rows
    need which. First every worker and the signer need the new key: EVIDENCE_KEY=FORMER,NEW, and after that EVIDENCE_KEY=NEW,FORMER. A MAC
    that no key verifies is named and stays refused. Run it until it exits with 0, and once more ten minutes later; then the former key may
    go. Never run it after the key has leaked: it would make forged MACs permanent. Set EVIDENCE_KEY=NEW alone and run "stabletill re-attest"
    (docs/operate/rotation.md).
    They need the owner's DATABASE_URL and the settings of the worker.
stabletill rotate passphrase [--new FILE]
    puts the keystore under a new passphrase, which FILE holds or you type; the same as "stabletill signer passphrase". Run it where the
    keystore is, as the signer's user, while the signer is stopped. The new file is opened before it takes the place of the old one.
stabletill rotate webhook-secret STORE live|test
    makes a new secret and prints it once; the former one signs beside it for a day. Merchants do the same in the dashboard and by the API.
    It needs the settings of the worker and the owner's DATABASE_URL. The audit log keeps it.
Exit codes: 0 no row needs a former key, 1 some do, are refused or failed, 2 wrong usage.`,
  options: {
    '--check': 'only counts, and changes nothing',
    '--give-up-mails': 'removes mails whose text is sealed under a key that is lost',
    '--json': 'prints the counts as one JSON object',
  },
  run: (words, { print }) => {
    const [name, ...rest] = words;
    if (name === 'passphrase') {
      if (rest.includes('--json'))
        throw new WrongUsage('"rotate passphrase" talks to a person at a terminal: it has no --json.');
      return runSigner(words);
    }
    return runProgram('rotate', ({ runRotate }) => runRotate(words, { environment: process.env, print }));
  },
};
