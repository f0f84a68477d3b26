// `stabletill attest-operator`: the server's administrator attests that an operator with another operator's grant is a
// separate person. Runs the built code of lib/merchants/accounts/attest-operator-command.ts.

import { runProgram, withPool } from '../start/command.mjs';

export const command = {
  name: 'attest-operator',
  summary: 'attests that an operator is a separate person, or opens the set-up of their second factor',
  usage: `stabletill attest-operator EMAIL
Confirms that this operator is a separate person, so that they and the operators who granted their role may approve large
refunds together.
stabletill attest-operator factor EMAIL
Opens an hour in which this operator may set up their first second factor.
The audit log keeps both.`,
  run: (words, { print }) =>
    runProgram('attest-operator', ({ runAttestOperator }) =>
      withPool((pool) => runAttestOperator(words, { pool, clock: { now: () => new Date() }, print })),
    ),
};
