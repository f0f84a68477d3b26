#!/usr/bin/env node
// `npm run addresses`: sets the next deposit address of a watch-only wallet after a database restore (`next-index`), or
// makes the worker read the history of one address (`scan`). It runs the built code of
// lib/treasury/wallets/next-index-command.ts and lib/ledger/reconciliation/balances/scan-command.ts.

import { runCommand, theDatabase } from './start/command.mjs';

const options = () => ({ databaseUrl: theDatabase(), print: console.log });

if (process.argv[2] === 'scan')
  await runCommand('scan-address', ({ runScan }, [, ...words]) => runScan(words, options()));
else await runCommand('addresses', ({ runAddresses }, words) => runAddresses(words, options()));
