// The command `npm run exchange-wallets`, bundled for scripts/stabletill/exchange-wallets.mjs: shows and changes the operator's list of exchange wallets,
// which no refund goes back to automatically.

import type { Db } from '@/lib/platform/database/db';
import { listDates, recordListDates } from './age';
import {
  addExchangeWallets,
  InvalidExchangeWallet,
  dateOfList,
  listExchangeWallets,
  parseExchangeWallets,
  removeExchangeWallet,
} from './list';
import { WRONG_USAGE } from '@/lib/platform/exit-code';

/** What a command needs from the machine. */
export type CommandDeps = {
  readonly db: Db;
  readonly print: (line: string) => void;
  readonly readFile: (file: string) => string;
  /** The text of the list that this release ships. */
  readonly readShipped: () => string;
  readonly now: () => Date;
};

/** Runs one command and returns the exit code. A wrong argument or file is printed; every other error is thrown. */
export async function runExchangeWallets(words: readonly string[], deps: CommandDeps): Promise<number> {
  try {
    return await run(words, deps);
  } catch (error) {
    if (!(error instanceof InvalidExchangeWallet)) throw error;
    deps.print(error.message);
    return 1;
  }
}

async function run([command, ...words]: readonly string[], deps: CommandDeps): Promise<number> {
  const { db, print } = deps;
  const [first = '', address = '', ...label] = words;
  if (command === 'list' && words.length === 0) {
    const senders = await listExchangeWallets(db);
    for (const one of senders) print(`${one.network} ${one.address} ${one.label}`);
    for (const { network, asOf } of await listDates(db)) print(`${network}: list as of ${asOf}`);
    print(`${senders.length} held`);
    return 0;
  }
  if (command === 'add' && label.length > 0) {
    await addExchangeWallets(db, [{ network: first, address, label: label.join(' ') }]);
    print('added');
    return 0;
  }
  if (command === 'remove' && words.length === 2) {
    const removed = await removeExchangeWallet(db, { network: first, address });
    print(removed ? 'removed' : 'this address is not on the list');
    return removed ? 0 : 1;
  }
  if (command === 'import' && words.length === 1) return importList(deps, deps.readFile(first));
  if (command === 'load' && words.length === 0) return importList(deps, deps.readShipped());
  return WRONG_USAGE;
}

/** Adds a list and records its date. Refunds on its networks stop waiting for the customer while the list is current. */
async function importList({ db, print, now: clock }: CommandDeps, text: string): Promise<number> {
  const senders = parseExchangeWallets(text);
  const now = clock();
  const asOf = dateOfList(text, now);
  const added = await addExchangeWallets(db, senders);
  await recordListDates(
    db,
    senders.map(({ network }) => network),
    { asOf, now },
  );
  print(`${added} added or named anew, as of ${asOf.toISOString().slice(0, 10)}`);
  return 0;
}
