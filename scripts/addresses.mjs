#!/usr/bin/env node
// `npm run addresses`: states the next deposit address of a watch-only wallet after its database was restored (`next-index`), or
// has the worker read the history of one address (`scan`). What it does is in lib/treasury/wallets/next-index-command.ts and
// lib/ledger/reconciliation/balances/scan-command.ts, as they were built.

import { runCommand, theDatabase } from './start/command.mjs';

const options = () => ({ databaseUrl: theDatabase(), print: console.log });

if (process.argv[2] === 'scan')
  await runCommand('scan-address', ({ runScan }, [, ...words]) => runScan(words, options()));
else await runCommand('addresses', ({ runAddresses }, words) => runAddresses(words, options()));
