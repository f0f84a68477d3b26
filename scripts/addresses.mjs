#!/usr/bin/env node
// `npm run addresses`: sets the next deposit address of a watch-only wallet after a database restore (`next-index`), or
// makes the worker read the history of one address (`scan`), or lists what addresses hold (`holdings`). It runs the built
// code of lib/treasury/wallets/next-index-command.ts, and of balances/scan-command.ts and holdings-command.ts in
// lib/ledger/reconciliation.

import { runCommand, theDatabase } from './start/command.mjs';

const options = () => ({ databaseUrl: theDatabase(), print: console.log });

if (process.argv[2] === 'scan')
  await runCommand('scan-address', ({ runScan }, [, ...words]) => runScan(words, options()));
else if (process.argv[2] === 'holdings')
  await runCommand('address-holdings', ({ runHoldings }, [, ...words]) =>
    runHoldings(words, { ...options(), note: console.error }),
  );
else await runCommand('addresses', ({ runAddresses }, words) => runAddresses(words, options()));
