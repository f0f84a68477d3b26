// `stabletill archive`: what the worker exported before it removed old rows. Runs the built code of
// lib/installation/retention/archive-command.ts.

import { runProgram, theDatabase } from '../start/command.mjs';

export const command = {
  name: 'archive',
  summary: 'lists and verifies the files of rows that were removed after their retention, and prints the rows',
  usage: `stabletill archive list|verify [TABLE [MONTH]]
stabletill archive show TABLE [MONTH] [--match TEXT]
Reads the files that the worker wrote into ARCHIVE_DIR before it removed old rows (docs/operate/retention.md). TABLE is deliveries, events or
mails, MONTH such as 2026-08. verify recomputes the hash of each file and counts its rows. show prints one JSON object a line.
Exit codes: 0 done, 1 a file is missing or was changed, 2 wrong usage.`,
  options: {
    '--match': 'only rows that contain this text, such as the id of an event',
    '--json': 'list and verify print one JSON object',
  },
  run: (words, { print }) =>
    runProgram('archive', ({ runArchive }) =>
      runArchive(words, {
        databaseUrl: theDatabase(),
        directory: process.env.ARCHIVE_DIR,
        print,
        complain: console.error,
      }),
    ),
};
