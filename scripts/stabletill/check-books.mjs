// `stabletill check-books`: evaluates the invariants (docs/failure-model.md#invariants) on the database. Runs the built code
// of lib/ledger/invariants/check-command.ts.

import { runProgram, theDatabase } from '../start/command.mjs';

export const command = {
  name: 'check-books',
  summary: 'checks that the books are in order: every invariant of money, one line each',
  usage: `stabletill check-books
Evaluates the invariants (docs/failure-model.md) on the database. It only reads, and may run beside a running service.`,
  options: { '--json': 'prints the invariants and their violations as one JSON object' },
  run: (words, { print }) =>
    runProgram('check-books', ({ runCheckBooks }) => runCheckBooks(words, { databaseUrl: theDatabase(), print })),
};
