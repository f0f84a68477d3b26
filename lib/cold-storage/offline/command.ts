// The commands of stabletill-offline, which runs on a machine without a network: shows a signing request, and signs it. It signs nothing
// in which the file, the bytes and the expected destination differ, and nothing that the person who runs it has not confirmed.

import { openAccount } from '@/lib/cold-storage/accounts/account';
import { weightOf, type ColdAccount, type Item, type Signatures } from '@/lib/cold-storage/accounts/item';
import {
  BadRequest,
  differences,
  parseRequest,
  printable,
  specOf,
  termsOf,
  type Request,
} from '@/lib/cold-storage/returns/request-file';
import { collectSignatures, missingText, parseSigned, signedText } from '@/lib/cold-storage/returns/signed-file';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { SigningAccount } from '@/lib/treasury/wallets/secp-account';
import { BadKey, openKey, type KeySource } from './keys';
import { readOptions, UsageError, type Options } from './options';
import { expectedDestination } from './destination';
import { shownRequest } from './show';

const USAGE = `stabletill-offline shows and signs a request of \`npm run cold -- request\` on a machine without a network.

  show FILE --to ADDRESS [--json]    compares the file with the bytes of its transactions, and shows them
  sign FILE --to ADDRESS KEY [--signed FILE2 ...] [--out SIGNED] [--confirm SHA256]
                                     the same; then it asks, signs, and writes SIGNED (FILE.signed unless given)

  --to ADDRESS          the refund wallet, from your own records: no other destination is signed
  --to-file PINS        the same from a file of this machine, with lines like ethereum@mainnet=0x…
  KEY is one of
    --key-file F                 64 hex digits (EVM, TRON), or a key pair of solana-keygen
    --words-file F --path P      BIP-39 words and a path such as m/44'/60'/0'/0/0
  --signed FILE2        for a wallet with several keys: what others have signed already, so that SIGNED has it too
  --confirm SHA256      signs without asking, if this is the sha256 that \`show\` prints

Only you may be able to read the file of a key (chmod 600). Exit codes: 0 done, 1 the command or a file is unusable,
3 refused, because something differs.`;

export type OfflineDeps = {
  readonly readFile: (file: string) => Uint8Array;
  /** Throws if the file exists. */
  readonly writeNew: (file: string, text: string) => void;
  /** The permission bits of a file. */
  readonly modeOf: (file: string) => number;
  readonly now: () => Date;
  readonly print: (line: string) => void;
  /** The line that is typed after the text; null if the input is not a terminal. */
  readonly ask: (text: string) => Promise<string | null>;
};

/** Runs one command and returns the exit code. */
export async function runOffline(words: readonly string[], deps: OfflineDeps): Promise<number> {
  try {
    const options = readOptions(words);
    if (options === 'help') return exitWith(deps, USAGE, 0);
    return options.command === 'show' ? show(options, deps) : await sign(options, deps);
  } catch (error) {
    if (error instanceof UsageError) return exitWith(deps, error.message === '' ? USAGE : error.message, 1);
    if (error instanceof BadRequest) return exitWith(deps, `REFUSED: ${error.message}.`, 3);
    if (error instanceof BadKey) return exitWith(deps, `The key cannot be used: ${error.message}.`, 1);
    if (isFileError(error)) return exitWith(deps, `A file cannot be used: ${error.code} ${error.path ?? ''}.`, 1);
    throw error;
  }
}

type Checked = { readonly request: Request; readonly spec: NetworkSpec; readonly found: readonly string[] };

function check(options: Options, deps: OfflineDeps): Checked {
  const request = parseRequest(deps.readFile(options.file));
  const spec = specOf(request);
  const to = expectedDestination(spec, options, deps.readFile);
  return { request, spec, found: differences(request, { to, now: deps.now() }) };
}

function show(options: Options, deps: OfflineDeps): number {
  const { request, found } = check(options, deps);
  const json = () => JSON.stringify({ ok: found.length === 0, differences: found, request }, null, 2);
  if (options.json) deps.print(json().split('\n').map(printable).join('\n'));
  else if (found.length === 0) printRequest(deps, request);
  else refuse(deps, found);
  return found.length === 0 ? 0 : 3;
}

async function sign(options: Options, deps: OfflineDeps): Promise<number> {
  const { request, spec, found } = check(options, deps);
  if (found.length > 0) return refuse(deps, found);
  const [from = ''] = request.items.map((item) => item.from);
  const account = openAccount(spec, from, termsOf(request));
  if (account.completion.kind === 'elsewhere')
    return refuse(deps, ['account: it names no executor, so that it is signed in another program']);
  printRequest(deps, request);
  const others = othersOf(options, deps, { request, account });
  if ('refused' in others) return refuse(deps, [others.refused]);
  const { account: key, wipe } = openKey(spec.family, keySource(options, deps));
  try {
    const work = workOf(account, key.address, others.signed);
    if ('refused' in work)
      return refuse(deps, [
        termsOf(request) !== null
          ? work.refused
          : `from: the key is of ${key.address}, and the request pays from ${from}`,
      ]);
    if (!(await isConfirmed(options, deps, request))) return exitWith(deps, 'Nothing was signed.', 3);
    const made = signedBy(account, key, { items: request.items, others: others.signed, work });
    const out = options.out ?? `${options.file}.signed`;
    deps.writeNew(out, textOf(request, account, made));
    const missing = missingText(account, made.signed[0]?.keys() ?? []);
    if (missing !== null) deps.print(`Signed. ${missing} Carry ${out} to them, or with theirs to the online machine.`);
    else if (account.completion.kind === 'executor' && made.executions === null)
      deps.print(
        `Signed. Carry ${out} to the executor ${account.completion.executor}, who signs last (--signed ${out}).`,
      );
    else deps.print(`Signed. Carry ${out} to the online machine: npm run cold -- send ${out}`);
    return 0;
  } finally {
    wipe();
  }
}

/** What the others have signed already, verified here too. */
function othersOf(
  { signed: names }: Options,
  { readFile }: OfflineDeps,
  { request, account }: { readonly request: Request; readonly account: ColdAccount },
): { readonly signed: readonly Signatures[] } | { readonly refused: string } {
  const files = names.map((name) => parseSigned(readFile(name)));
  const other = files.findIndex((file) => file.id !== request.id || file.request !== request.sha256);
  if (other >= 0) return { refused: `${names[other]} has signatures of another request` };
  const { signed, problem } = collectSignatures(account, request.items, files);
  return problem === null ? { signed } : { refused: problem };
}

type Work = { readonly signs: boolean; readonly executes: boolean };

/** What this key does: it signs for the account, executes what enough others have signed, or both. */
function workOf(
  account: ColdAccount,
  address: string,
  others: readonly Signatures[],
): Work | { readonly refused: string } {
  const { completion, signers, signerName } = account;
  const [signs, isExecutor] = [signers.has(address), completion.kind === 'executor' && completion.executor === address];
  if (!signs && !isExecutor) return { refused: `account: the key is of ${address}, which is not ${signerName}` };
  const have = [...(others[0]?.keys() ?? []), ...(signs ? [address] : [])];
  const executes = isExecutor && weightOf(account, have) >= account.threshold;
  if (!signs && !executes) return { refused: `account: the executor signs last. ${missingText(account, have) ?? ''}` };
  return { signs, executes };
}

type Made = { readonly signed: readonly Signatures[]; readonly executions: readonly Uint8Array[] | null };

function signedBy(
  account: ColdAccount,
  key: SigningAccount,
  given: { readonly items: readonly Item[]; readonly others: readonly Signatures[]; readonly work: Work },
): Made {
  const { completion } = account;
  const { items, others, work } = given;
  const signed = items.map((item, index) => {
    const all = new Map(others[index]);
    if (work.signs) all.set(key.address, key.sign(account.payload(item)));
    return all;
  });
  // A signature that this machine cannot verify is a fault of its own.
  if (!items.every((item, at) => [...signed[at]!].every(([by, signature]) => account.isSignedBy(item, by, signature))))
    throw new Error('the signatures are not those of the wallet');
  if (!work.executes || completion.kind !== 'executor') return { signed, executions: null };
  const executions = items.map((item, index) => key.sign(completion.payload(item, signed[index] ?? new Map())));
  // Throws for a signature that is not the executor's.
  items.forEach((item, index) => completion.finish(item, signed[index] ?? new Map(), executions[index] as Uint8Array));
  return { signed, executions };
}

function textOf({ id, sha256, account: terms }: Request, { signers }: ColdAccount, made: Made): string {
  const hex = (signature: Uint8Array | undefined): string => Buffer.from(signature ?? []).toString('hex');
  const by = [...signers.keys()].filter((signer) => made.signed[0]?.has(signer));
  return signedText({
    ...{ id, request: sha256, executions: made.executions?.map(hex) ?? null },
    signers: by.map((signer) => ({
      signer: terms ? signer : null,
      signatures: made.signed.map((one) => hex(one.get(signer))),
    })),
  });
}

async function isConfirmed(options: Options, deps: OfflineDeps, { sha256 }: Request): Promise<boolean> {
  if (options.confirm !== null) return options.confirm === sha256;
  const typed = await deps.ask('Type yes to sign exactly this: ');
  if (typed === null)
    throw new UsageError('Without a terminal the command needs --confirm with the sha256 of the request.');
  return typed.trim() === 'yes';
}

const GROUP_OR_OTHERS = 0o077;

function keySource({ key }: Options, { readFile, modeOf }: OfflineDeps): KeySource {
  if (!key) throw new UsageError('Name the key: --key-file F, or --words-file F --path P.');
  if ((modeOf(key.file) & GROUP_OR_OTHERS) !== 0)
    throw new BadKey(`other users may read ${key.file}; run chmod 600 on it`);
  const bytes = readFile(key.file);
  const text = Buffer.from(bytes).toString('utf8');
  bytes.fill(0);
  return key.path === null ? { kind: 'key', text } : { kind: 'words', text, path: key.path };
}

function printRequest({ print }: OfflineDeps, request: Request): void {
  for (const line of shownRequest(request)) print(line);
  print('');
  print('The file says what the bytes say. Compare the destination and the sha256 with your own records.');
}

function refuse({ print }: OfflineDeps, found: readonly string[]): number {
  print('REFUSED. Do not sign this request:');
  for (const what of found) print(`  ${what}`);
  return 3;
}

function exitWith({ print }: OfflineDeps, text: string, code: number): number {
  print(text);
  return code;
}

const isFileError = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error && 'code' in error;
