// `stabletill exchange-wallets`: shows and changes the operator's list of exchange wallets, to which no refund goes
// automatically. Runs the built code of lib/refunds/destination/exchange-wallets/command.ts.

import fs from 'node:fs';
import path from 'node:path';
import { runProgram, withPool } from '../start/command.mjs';

const SHIPPED = path.join(import.meta.dirname, '../exchange-wallets.txt');
const readFile = (file) => fs.readFileSync(file, 'utf8');

export const command = {
  name: 'exchange-wallets',
  summary: 'shows and changes the list of exchange wallets, which get no automatic refund',
  usage: `stabletill exchange-wallets list
stabletill exchange-wallets add NETWORK ADDRESS LABEL
stabletill exchange-wallets remove NETWORK ADDRESS
stabletill exchange-wallets load           (the exchange wallets that this release knows)
stabletill exchange-wallets import FILE    (a line each: network, address, label; \`# as of YYYY-MM-DD\` for a list of that day)`,
  run: (words, { print }) =>
    runProgram('exchange-wallets', ({ runExchangeWallets }) =>
      withPool((db) =>
        runExchangeWallets(words, { db, print, readFile, readShipped: () => readFile(SHIPPED), now: () => new Date() }),
      ),
    ),
};
