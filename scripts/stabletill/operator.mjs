// `stabletill operator`: the way back in for an operator who lost the password or the second factor. Runs the built code of
// lib/merchants/accounts/operator-reset/reset-command.ts, with the owner's database role.

import { required, runProgram, withPool } from '../start/command.mjs';

export const command = {
  name: 'operator',
  summary: 'resets the sign-in of an operator who lost the password or the second factor',
  usage: `stabletill operator reset EMAIL [--delay-hours N]
    requests a reset of this operator's sign-in. It waits 24 hours, or N from 1 to 168. The worker alarms every operator, the console shows
    it, and each operator may cancel it there. Run the same words again when it is ready, within three days: the password, the second factors
    and the sign-ins of the operator become void, and a link that sets a new password is printed once.
stabletill operator resets
    lists the open resets.
stabletill operator cancel-reset EMAIL
    cancels one.
It needs the owner's DATABASE_URL, MASTER_KEYS and PUBLIC_URL. The audit log keeps every step. Where another operator can sign in, they
help without a wait: Operator console, Users.`,
  run: (words, { print }) =>
    runProgram('operator', ({ runOperator }) => {
      const config = { PUBLIC_URL: required('PUBLIC_URL', 'the origin of the pages') };
      const clock = { now: () => new Date() };
      return withPool((pool) => runOperator(words, { pool, clock, config, print }));
    }),
};
