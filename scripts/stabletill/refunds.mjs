// `stabletill refunds`: compares the database with the journal of the running signer, and brings a restored database up to
// it. Runs the built code of lib/refunds/recovery/command.ts.

import { required, runProgram, theDatabase } from '../start/command.mjs';

export const command = {
  name: 'refunds',
  summary: 'compares the signer’s journal with the database, and recovers refunds after a restore',
  usage: `stabletill refunds status            shows whether the signer's journal and the database agree
stabletill refunds wallet            prints the addresses that pay refunds: fund them with tokens and with coin for fees
stabletill refunds mark              prints RECORDS:HEAD of the signer's journal, for "stabletill signer take-over" of a standby
stabletill refunds recover           takes over from the journal what the database lacks
stabletill refunds recover --accept  the same, and accepts what cannot be taken over
stabletill refunds looked NETWORK    resumes refunds of a public test network, after you checked its refund wallet
stabletill refunds looked NETWORK --live   the same on a live network whose list of transactions is too long to be compared

It needs DATABASE_URL and SIGNER_SOCKET, as the worker has them, and the signer running. On local chains also TEST_CHAINS=local.

The worker compares the two before it has anything signed, and stops all refunds (freezes the signer) when they disagree.

After the database was restored from a backup:
 1. Start web alone and pause refunds, payouts and cold transfers (docs/operate/backup.md says why). Start the signer and the
    worker. The worker finds refunds in the journal that the database does not know, and freezes.
 2. Wait until the worker has caught up with the networks (the status page shows no lag): payments made since the backup come
    back by themselves, and refunds of them can be taken over then.
 3. stabletill refunds recover. Refunds that the backup still had get their transactions back; those that it had not are made
    again, under the name recovered_... until their merchant asks for them once more with the refund_id of then: the merchant
    gets this refund and no second one. Nothing is sent by this. It may be run as often as you like.
 4. What is listed as left needs you: each line says what to do. When nothing can be done, because the session was created after
    the backup too, note the line for your books and run recover --accept.
 5. Let the signer sign again: run the signer with the argument "unfreeze" at a terminal. The worker follows every payment to its
    end; what was paid is completed, with receipt and event, and never paid again.
 6. When merchants have canceled and stopped again what they had, resume what you paused.

After the signer's journal was lost or put back from a copy:
 1. Search for the newest copy of the journal first: the file, its numbered segments and their indexes. A journal that lacks its
    end forgets what it signed. A single segment that is missing stops nothing but its own refunds: put it back.
 2. Without one, move the old one away, start the signer (it is frozen) and leave the worker running: it follows what the
    database knows until nothing is open any more. No new refund is signed meanwhile.
 3. stabletill refunds status until it finds no open transactions. Compare the outgoing transfers of the refund wallet on every
    network with the refunds of the dashboard: what is not among them was paid by an unknown holder of the key, or forgotten.
 4. stabletill refunds recover --accept, then unfreeze as above.

Exit codes: 0 when the two agree, 3 when something remains to be done.`,
  run: (words, { print }) =>
    runProgram('refunds', ({ runRefundsCommand }) => {
      const settings = {
        databaseUrl: theDatabase(),
        signerSocket: required('SIGNER_SOCKET', 'the socket of the running signer'),
        testChains: process.env.TEST_CHAINS,
      };
      return runRefundsCommand(words, settings, print);
    }),
};
