// `stabletill addresses`: sets the next deposit address of a watch-only wallet after a database restore (`next-index`), or
// makes the worker read the history of one address (`scan`), or lists what addresses hold (`holdings`). It runs the built
// code of lib/treasury/wallets/next-index-command.ts, and of balances/scan-command.ts and holdings-command.ts in
// lib/ledger/reconciliation.

import { runProgram, theDatabase } from '../start/command.mjs';

export const command = {
  name: 'addresses',
  summary: 'reads one deposit address again, lists what addresses hold, or sets the next address',
  usage: `stabletill addresses scan ADDRESS NETWORK FROM [TO]
Has the worker read the blocks FROM to TO (default: the last final block) of NETWORK for transfers to and from one deposit address. ADDRESS
is a deposit address or the id of its session. What is found shows with the session, as if the watcher had found it. On Solana the
whole history of the address is read, whatever FROM says. Without FROM it tells how far the worker is. It needs DATABASE_URL.

stabletill addresses holdings NETWORK [HOURS] [LEAST]
Prints what the deposit addresses of NETWORK hold, such as ethereum@mainnet, as CSV: one line per address and token, with the index and
derivation path of its key. Only of sessions that closed at least HOURS ago (default: 24, because customers pay late), and only amounts of
at least LEAST whole tokens (default: 1). The sums follow on the standard error. Before you sweep, name your wallet in TREASURY_WALLETS.
It needs DATABASE_URL.

stabletill addresses next-index N
For watch-only installations after the database was restored or moved: deposit addresses are handed out again, from index N on.
N must be above every index that was ever handed out: take the highest index of the lost database, or of your wallet's history,
and add 10,000. With a signer it is needed only where a disk image or PostgreSQL's files were put back as they were, which nothing
notices: run it before the worker starts, with a million more than wallets.next_index. It needs DATABASE_URL.`,
  run: ([name, ...words], { print, note }) => {
    if (name === 'scan')
      return runProgram('scan-address', ({ runScan }) => runScan(words, { databaseUrl: theDatabase(), print }));
    if (name === 'holdings')
      return runProgram('address-holdings', ({ runHoldings }) =>
        runHoldings(words, { databaseUrl: theDatabase(), print, note }),
      );
    const all = name === undefined ? [] : [name, ...words];
    return runProgram('addresses', ({ runAddresses }) => runAddresses(all, { databaseUrl: theDatabase(), print }));
  },
};
