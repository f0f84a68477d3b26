// The command `npm run cold`: requests transfers from the cold wallet to the refund wallet, sends those that were signed on a machine
// without a network, and shows what is open.

import { builderText } from '@/lib/cold-storage/accounts/safe-builder';
import { readRefundWallet } from '@/lib/ledger/balances';
import { ChainError } from '@/lib/networks/chain';
import { BadDraft, SendHold, SendRefused } from '@/lib/networks/sending/send';
import type { Levels } from '@/lib/networks/wallet-levels';
import type { Context } from '@/lib/platform/context';
import type { Environment } from '@/lib/platform/ids';
import { AddressSourceError } from '@/lib/treasury/wallets/address-source';
import { aboutColdWallet, followReturns, type Followed } from './follow';
import { giveUp, readGiveUpWords } from './give-up';
import { BadRequest, requestText, specOf, totalsOf, type Request } from './request-file';
import type { ReturnWallets } from './draft';
import { ReturnRefused } from './refusal';
import { requestReturn, wantedOf } from './request';
import { readRequestWords, type RequestWords } from './request-words';
import { readReturns, type ColdReturn, type ReturnChain } from './rows';
import { acceptSignatures, returnsOf } from './send';
import { nextSteps, outcomeText, shortOf } from './shown';
import { parseSigned } from './signed-file';
import { readStatus } from './status';
import { WRONG_USAGE } from '@/lib/platform/exit-code';

/** A network of this installation, with its wallets by the settings and the signer. */
type ColdNetwork = {
  readonly environment: Environment;
  readonly network: string;
  /** Null while the endpoints do not serve the chain that the worker follows. Throws a ChainError. */
  readonly open: () => Promise<ReturnChain | null>;
  /** Throws ReturnRefused when no cold wallet is set, or the signer names another one. */
  readonly wallets: () => Promise<ReturnWallets>;
  /** The marks of its refund wallet. */
  readonly levels: readonly Pick<Levels, 'currency' | 'high'>[];
};

export type ColdDeps = Pick<Context, 'pool' | 'clock' | 'log'> & {
  readonly networks: readonly ColdNetwork[];
  readonly print: (line: string) => void;
  readonly readFile: (file: string) => Uint8Array;
  /** Throws if the file exists. */
  readonly writeNew: (file: string, text: string) => void;
  /** The line that is typed after the text; null if the input is not a terminal. */
  readonly ask: (text: string) => Promise<string | null>;
  /** Waits between two readings of the chain. */
  readonly pause: () => Promise<unknown>;
};

/** Runs one command and returns the exit code. */
export async function runCold(words: readonly string[], deps: ColdDeps): Promise<number> {
  const { print } = deps;
  const [command, ...rest] = words;
  try {
    if (command === 'request') return await request(rest, deps);
    if (command === 'send') return await send(rest, deps);
    if (command === 'status' && (rest.length === 0 || (rest.length === 1 && rest[0] === '--json')))
      return await status(deps, rest.length === 1);
    const given = command === 'give-up' ? readGiveUpWords(rest) : null;
    if (given) return await giveUp(deps, given, (of) => openedFor(deps.networks, of));
    return WRONG_USAGE;
  } catch (error) {
    const why = reasonOf(error);
    if (why === null) throw error;
    print(why);
    return error instanceof BadRequest || isFileError(error) ? 1 : 3;
  }
}

/** A refusal as a sentence; null for any other error. */
function reasonOf(error: unknown): string | null {
  if (error instanceof ReturnRefused) return error.message;
  if (error instanceof BadRequest) return `${error.message}.`;
  if (error instanceof ChainError) return `The network cannot be read now: ${error.message}.`;
  if (error instanceof AddressSourceError) return `The signer does not answer: ${error.message}`;
  if (error instanceof BadDraft) return `Nothing was sent: ${error.message}.`;
  if (error instanceof SendHold || error instanceof SendRefused)
    return `The transfer would fail now: ${aboutColdWallet(error.message)}.`;
  if (isFileError(error)) return `A file cannot be used: ${error.code} ${error.path ?? ''}.`;
  return null;
}

const isFileError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error && 'code' in error && 'path' in error;

async function request(words: readonly string[], deps: ColdDeps): Promise<number> {
  const { print } = deps;
  const given = readRequestWords(words);
  if (!given) {
    return WRONG_USAGE;
  }
  const network = networkOf(deps.networks, given);
  const chain = await opened(network);
  const wallets = await network.wallets();
  const transfers = given.pairs.map(([currency, amount]) => wantedOf(chain.spec, currency, amount));
  const fileOf = ({ id }: Pick<Request, 'id'>): string => given.out ?? `${id}.json`;
  const write = (one: Request): void => {
    const [item] = one.items;
    deps.writeNew(fileOf(one), requestText(one));
    if (one.account?.kind === 'safe' && item)
      deps.writeNew(`${fileOf(one)}.safe.json`, builderText(chain.spec, item, new Date(one.created)));
  };
  const { nonceAccounts, executor, permission, squads } = given;
  const wanted = { wallets, transfers, nonceAccounts, executor, permission, squads };
  const made = await requestReturn(deps, chain, { ...wanted, write });
  const name = `${chain.spec.network}@${chain.spec.chain}`;
  for (const [currency, total] of Object.entries(totalsOf(made.items)))
    print(`${shortOf(chain.spec, currency, BigInt(total))} on ${name} from ${wallets.cold} to ${wallets.refund}`);
  await warnAboveHighMark(deps, network, made);
  for (const line of nextSteps(chain.spec, made, fileOf(made))) print(line);
  return 0;
}

/** The worker would send what is above the mark back to the cold wallet. */
async function warnAboveHighMark(
  { pool, print }: ColdDeps,
  { environment, network, levels }: ColdNetwork,
  made: Request,
): Promise<void> {
  const spec = specOf(made);
  for (const [currency, total] of Object.entries(made.totals)) {
    const high = levels.find((one) => one.currency === currency)?.high;
    const then = (await readRefundWallet(pool, { environment, network, currency })) + BigInt(total);
    if (high !== undefined && then > high)
      print(
        `Warning: the refund wallet would have ${shortOf(spec, currency, then)}. What is above its high-water mark of ${shortOf(spec, currency, high)} goes back.`,
      );
  }
}

function networkOf(
  networks: readonly ColdNetwork[],
  given: Pick<RequestWords, 'network' | 'environment'>,
): ColdNetwork {
  const named = networks.filter(({ network }) => network === given.network);
  const found = named.filter(({ environment }) => environment === (given.environment ?? environment));
  const [only] = found;
  if (!only)
    throw new ReturnRefused(`This installation follows no ${given.environment ?? ''} network ${given.network}.`);
  if (found.length > 1) throw new ReturnRefused(`${given.network} is followed twice: add --live or --test.`);
  return only;
}

async function opened({ network, open }: ColdNetwork): Promise<ReturnChain> {
  const chain = await open();
  if (chain) return chain;
  throw new ReturnRefused(`The worker does not follow the chain behind the endpoints of ${network} yet.`);
}

/** Throws ReturnRefused also for a return that was requested on another chain. */
async function openedFor(networks: readonly ColdNetwork[], of: ColdReturn): Promise<ReturnChain> {
  const chain = await opened(networkOf(networks, of));
  if (of.chainId === chain.chainId) return chain;
  throw new ReturnRefused(`${of.requestId} was requested on another chain than the one that is followed now.`);
}

/** More than any account has signers. */
const MAX_FILES = 64;

async function send(words: readonly string[], deps: ColdDeps): Promise<number> {
  const files = words.filter((word) => !word.startsWith('-'));
  const options = words.filter((word) => word.startsWith('-'));
  if (
    files.length === 0 ||
    files.length > MAX_FILES ||
    options.length > 1 ||
    (options[0] ?? '--no-wait') !== '--no-wait'
  ) {
    return WRONG_USAGE;
  }
  const signed = files.map((file) => parseSigned(deps.readFile(file)));
  const rows = await returnsOf(deps, signed);
  const [first] = rows as readonly [ColdReturn];
  const id = first.requestId;
  const chain = await openedFor(deps.networks, first);
  if (rows.some(({ signedAt, outcome }) => signedAt === null && outcome === null)) {
    const { refund } = await networkOf(deps.networks, first).wallets();
    await acceptSignatures(deps, chain, { files: signed, rows, refund });
    deps.print(`Stored the signatures of ${id}. The worker goes on with it if this command is stopped.`);
  }
  return followToEnd(deps, chain, { id, waits: options.length === 0 });
}

async function followToEnd(
  deps: ColdDeps,
  chain: ReturnChain,
  { id, waits }: { readonly id: string; readonly waits: boolean },
): Promise<number> {
  const shown = new Map<string, string>();
  const show = (one: string, text: string): void => {
    if (shown.get(one) !== text) deps.print(`${one}  ${text}`);
    shown.set(one, text);
  };
  for (;;) {
    const followed = await followReturns(deps, chain);
    for (const one of followed.filter(isOf(id))) show(one.id, outcomeText(one));
    const rows = await readReturns(deps.pool, id);
    if (!waits || rows.every(({ outcome }) => outcome !== null)) {
      for (const row of rows)
        deps.print(`${row.id}  ${row.outcome ?? 'on its way'}: ${shortOf(chain.spec, row.currency, row.amount)}`);
      return rows.every(({ outcome }) => outcome === 'landed') ? 0 : 3;
    }
    await deps.pause();
  }
}

const isOf =
  (requestId: string) =>
  ({ id }: Followed): boolean =>
    id.startsWith(`${requestId}_`);

async function status(deps: ColdDeps, json: boolean): Promise<number> {
  const returns = await readStatus(deps);
  if (json) deps.print(JSON.stringify({ returns }, null, 2));
  else if (returns.length === 0) deps.print('No transfer from a cold wallet was requested.');
  else for (const { text } of returns) deps.print(text);
  return returns.some(({ state }) => state === 'signed') ? 3 : 0;
}
