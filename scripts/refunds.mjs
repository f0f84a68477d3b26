#!/usr/bin/env node
// `npm run refunds`: compares the database with the journal of the running signer, and brings a restored database up to
// it. Runs the built code of lib/refunds/recovery/command.ts.

import { required, runCommand, theDatabase } from './start/command.mjs';

const isHelp = process.argv[2] === undefined || process.argv[2] === '--help';

await runCommand(
  'refunds',
  ({ runRefundsCommand }, words) => {
    const { DATABASE_URL, SIGNER_SOCKET, TEST_CHAINS: testChains } = process.env;
    const settings = isHelp
      ? { databaseUrl: DATABASE_URL, signerSocket: SIGNER_SOCKET, testChains }
      : {
          databaseUrl: theDatabase(),
          signerSocket: required('SIGNER_SOCKET', 'the socket of the running signer'),
          testChains,
        };
    return runRefundsCommand(words, settings, console.log);
  },
  { mayBeDown: isHelp },
);
