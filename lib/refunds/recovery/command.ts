// The command `npm run refunds`, bundled for scripts/stabletill/refunds.mjs: prints the refund wallet's addresses, compares the signer's journal with
// the database, and recovers from the journal what a restored database lacks.

import { systemClock } from '@/lib/platform/clock';
import { openPool, type Db } from '@/lib/platform/database/db';
import { SignerClient } from '@/lib/signer/client';
import { compare, recover, type Comparison, type Recovery } from './recover';
import { confirmWallet } from '@/lib/refunds/wallet-check/known';
import { WRONG_USAGE } from '@/lib/platform/exit-code';

export type RefundsSettings = {
  readonly databaseUrl: string;
  readonly signerSocket: string;
  readonly testChains: string | undefined;
};

/** Runs one command and returns the exit code: 0 when the two agree, 3 when something remains to be done. */
export async function runRefundsCommand(
  words: readonly string[],
  settings: RefundsSettings,
  print: (line: string) => void,
): Promise<number> {
  const [command, option, ...more] = words;
  const accept = option === '--accept';
  const isLive = command === 'looked' && more.length === 1 && more[0] === '--live';
  const isKnown =
    ((command === 'status' || command === 'wallet' || command === 'mark') && option === undefined) ||
    (command === 'looked' && option !== undefined) ||
    (command === 'recover' && (accept || option === undefined));
  if (!isKnown || (more.length > 0 && !isLive)) return WRONG_USAGE;
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
