// The command `npm run refunds`, bundled for scripts/refunds.mjs: prints the refund wallet's addresses, compares the signer's journal with
// the database, and recovers from the journal what a restored database lacks.

import { systemClock } from '@/lib/platform/clock';
import { openPool, type Db } from '@/lib/platform/database/db';
import { SignerClient } from '@/lib/signer/client';
import { compare, recover, type Comparison, type Recovery } from './recover';
import { confirmWallet } from '@/lib/refunds/wallet-check/known';

export type RefundsSettings = {
  readonly databaseUrl: string;
  readonly signerSocket: string;
  readonly testChains: string | undefined;
};

const USAGE = `npm run refunds -- status            shows whether the signer's journal and the database agree
npm run refunds -- wallet            prints the addresses that pay refunds: fund them with tokens and with coin for fees
npm run refunds -- mark              prints RECORDS:HEAD of the signer's journal, for the command take-over of a standby (docs/operate/signer-standby.md)
npm run refunds -- recover           takes over from the journal what the database lacks
npm run refunds -- recover --accept  the same, and accepts what cannot be taken over
npm run refunds -- looked NETWORK    resumes refunds of a public test network, after you checked its refund wallet
npm run refunds -- looked NETWORK --live   the same on a live network whose list of transactions is too long to be compared
npm run refunds -- --help            this text

It needs DATABASE_URL and SIGNER_SOCKET, as the worker has them, and the signer running. On local chains also TEST_CHAINS=local.

The worker compares the two before it has anything signed, and stops all refunds (freezes the signer) when they disagree.

After the database was restored from a backup:
 1. Start the signer and the worker. The worker finds refunds in the journal that the database does not know, and freezes.
 2. Wait until the worker has caught up with the networks (the status page shows no lag): payments made since the backup come
    back by themselves, and refunds of them can be taken over then.
 3. npm run refunds -- recover. Refunds that the backup still had get their transactions back; those that it had not are made
    again, under the name recovered_... until their merchant asks for them once more with the refund_id of then: the merchant
    gets this refund and no second one. Nothing is sent by this. It may be run as often as you like.
 4. What is listed as left needs you: each line says what to do. When nothing can be done, because the session was created after
    the backup too, note the line for your books and run recover --accept.
 5. Let the signer sign again: run the signer with the argument "unfreeze" at a terminal. The worker follows every payment to its
    end; what was paid is completed, with receipt and event, and never paid again.

After the signer's journal was lost or put back from a copy:
 1. Search for the newest copy of the journal first: the file, its numbered segments and their indexes. A journal that lacks its
    end forgets what it signed. A single segment that is missing stops nothing but its own refunds: put it back.
 2. Without one, move the old one away, start the signer (it is frozen) and leave the worker running: it follows what the
    database knows until nothing is open any more. No new refund is signed meanwhile.
 3. npm run refunds -- status until it finds no open transactions. Compare the outgoing transfers of the refund wallet on every
    network with the refunds of the dashboard: what is not among them was paid by an unknown holder of the key, or forgotten.
 4. npm run refunds -- recover --accept, then unfreeze as above.`;

/** Runs one command and returns the exit code: 0 when the two agree, 3 when something remains to be done. */
export async function runRefundsCommand(
  words: readonly string[],
  settings: RefundsSettings,
  print: (line: string) => void,
): Promise<number> {
  const [command, option, ...more] = words;
  const accept = option === '--accept';
  if (command === '--help' && option === undefined) return exitWith(print, USAGE, 0);
  const isLive = command === 'looked' && more.length === 1 && more[0] === '--live';
  const isKnown =
    ((command === 'status' || command === 'wallet' || command === 'mark') && option === undefined) ||
    (command === 'looked' && option !== undefined) ||
    (command === 'recover' && (accept || option === undefined));
  if (!isKnown || (more.length > 0 && !isLive)) return exitWith(print, USAGE, 1);
  const pool = openPool(settings.databaseUrl, 2);
  try {
    if (command === 'looked')
      return await confirmChecked(pool, { environment: isLive ? 'live' : 'test', network: option ?? '' }, print);
    if (command === 'mark') return await printMark(pool, print);
    const signer = new SignerClient(settings.signerSocket);
    if (command === 'wallet') return await printWallet(signer, print);
    if (command === 'status') return printComparison(await compare({ pool }, signer), print);
    const config = { TEST_CHAINS: settings.testChains === 'local' ? ('local' as const) : ('public' as const) };
    return printRecovery(await recover({ pool, clock: systemClock, config }, signer, accept), print);
  } finally {
    await pool.end();
  }
}

type CheckedWallet = Parameters<typeof confirmWallet>[1];

async function confirmChecked(db: Db, checked: CheckedWallet, print: (line: string) => void): Promise<number> {
  const named = `${checked.environment} network ${checked.network}`;
  const isFollowed = await confirmWallet(db, checked, systemClock.now());
  if (!isFollowed) return exitWith(print, `No ${named} is followed.`, 1);
  return exitWith(print, `Refunds of the ${named} go on; what its wallet signed until now counts as known.`, 0);
}

async function printWallet(signer: SignerClient, print: (line: string) => void): Promise<number> {
  const { wallets } = await signer.state();
  for (const [environment, { evm, tron, solana }] of Object.entries(wallets)) {
    print(`${environment}: Ethereum and BSC ${evm}, TRON ${tron}, Solana ${solana}`);
  }
  return 0;
}

/** Of the journal as a worker last saw it, at most a few seconds before the signer stopped. It needs no signer. */
async function printMark(db: Db, print: (line: string) => void): Promise<number> {
  const { rows } = await db.query<{ records: string | null; head: string | null }>(
    `SELECT journal->>'records' AS records, journal->>'head' AS head FROM signer_states WHERE journal IS NOT NULL`,
  );
  const [seen] = rows;
  if (!seen) return exitWith(print, 'No worker has seen a journal yet.', 1);
  return exitWith(print, `${seen.records}:${seen.head}`, 0);
}

function printComparison({ frozen, fault, unknown, strangers }: Comparison, print: (line: string) => void): number {
  print(frozen === null ? 'The signer signs.' : `The signer is frozen: ${frozen}.`);
  if (fault !== null) print(`The journal and the database disagree: ${fault}.`);
  print(`${unknown.length} refunds of the journal are unknown to the database.`);
  for (const { intent } of unknown) print(`  ${lineOf(intent.order)}`);
  print(`${strangers} open transactions of the database are unknown to the journal.`);
  return fault === null && unknown.length === 0 && strangers === 0 ? 0 : 3;
}

function printRecovery({ comparison, refunds, isLevel }: Recovery, print: (line: string) => void): number {
  if (comparison.fault !== null) print(`The journal and the database disagree: ${comparison.fault}.`);
  for (const { unknown, recovered } of refunds) {
    print(`${'done' in recovered ? recovered.done : 'left'}: ${lineOf(unknown.intent.order)}`);
    for (const { hash } of unknown.missing) print(`    transaction ${hash}`);
    if ('notRecovered' in recovered) print(`    ${recovered.notRecovered}`);
  }
  const left = refunds.filter(({ recovered }) => 'notRecovered' in recovered).length;
  print(`${refunds.length - left} refunds taken over, ${left} left.`);
  if (comparison.strangers > 0) {
    print(
      `${comparison.strangers} open transactions are unknown to the journal: leave the worker running until they ended.`,
    );
  }
  print(
    isLevel
      ? 'Nothing is in the way. If the signer is frozen, run it with the argument "unfreeze" at a terminal.'
      : 'Do what the lines above say and run this again, or accept what is left with --accept (see --help).',
  );
  return isLevel ? 0 : 3;
}

type Order = Comparison['unknown'][number]['intent']['order'];

const lineOf = ({ intentId, environment, network, currency, amount, to, evidence }: Order): string =>
  `${intentId} of ${evidence.session} (${environment}): ${amount} base units of ${currency} on ${network} to ${to}`;

function exitWith(print: (line: string) => void, text: string, code: number): number {
  print(text);
  return code;
}
