// The operator's two machines: the online one runs the commands of `npm run cold`, and the offline one runs stabletill-offline with the key
// of the cold wallet. Both are the product's own programs. Files are carried between them.

import { openAccount } from '@/lib/cold-storage/accounts/account';
import { runOffline } from '@/lib/cold-storage/offline/command';
import { coldNetworks } from '@/lib/cold-storage/returns/cold-command';
import { runCold } from '@/lib/cold-storage/returns/command';
import { parseRequest, specOf } from '@/lib/cold-storage/returns/request-file';
import { parseSigned } from '@/lib/cold-storage/returns/signed-file';
import { COLD_KEYS, WALLET } from '@/simulation/parties';
import type { World } from '@/simulation/world';
import type { SignedReturn } from './records';

/** `code`: null if the command ended before its end. `line`: the last one that it printed. */
export type Ran = { readonly code: number | null; readonly line: string };

type Terminal = {
  /** What the operator types. */
  readonly typed?: string;
  /** What happens while the command waits. */
  readonly pause?: () => Promise<void>;
};

/** The operator has interrupted the command. */
export class Interrupted extends Error {}

const KEY_FILE = 'key';

/** Runs `npm run cold -- WORDS`, as a process of its own. */
export async function runOnline(world: World, words: readonly string[], terminal: Terminal = {}): Promise<Ran> {
  const { context, harness } = world;
  const files = filesOf(world);
  const deps = {
    ...{ ...context, ...files.access, networks: coldNetworks(context) },
    ask: async () => terminal.typed ?? null,
    pause: terminal.pause ?? (() => Promise.reject(new Interrupted('there is no terminal to wait at'))),
  };
  try {
    return files.ran(await harness.pool.asProcess(() => runCold(words, deps)));
  } catch (error) {
    if (!isInterruption(error)) throw error;
    return files.ran(null);
  }
}

/** Runs `stabletill-offline sign FILE`, and notes what was signed. */
export async function signOffline(world: World, file: string): Promise<Ran> {
  const { family } = specOf(parseRequest(bytesOf(world, file)));
  const files = filesOf(world);
  const code = await runOffline(['sign', file, '--to', WALLET[family], '--key-file', KEY_FILE], {
    ...files.access,
    readFile: (name) => (name === KEY_FILE ? Buffer.from(COLD_KEYS[family]) : files.access.readFile(name)),
    ...{ modeOf: () => 0o600, now: () => world.clock.now(), ask: async () => 'yes' },
  });
  if (code === 0) world.records.returns.signed.push(...signedBy(world, file));
  return files.ran(code);
}

/** The transactions that the file's signatures complete. */
function signedBy(world: World, file: string): readonly SignedReturn[] {
  const request = parseRequest(bytesOf(world, file));
  const spec = specOf(request);
  const [signatures = []] = parseSigned(bytesOf(world, signedFileOf(file))).signers.map((one) => one.signatures);
  return request.items.map((item, index) => {
    const { completion } = openAccount(spec, item.from, null);
    if (completion.kind !== 'signatures') throw new Error('a plain account is completed by its signature');
    const signature = Buffer.from(signatures[index] ?? '', 'hex');
    const { hash } = completion.finish(item, new Map([[item.from, signature]]));
    const nonce = 'nonce' in item.validity ? item.validity.nonce : null;
    return {
      id: item.intent,
      network: spec.network,
      currency: item.currency,
      amount: BigInt(item.amount),
      hash,
      nonce,
    };
  });
}

export const signedFileOf = (file: string): string => `${file}.signed`;

function bytesOf({ records }: World, name: string): Buffer {
  const text = records.returns.files.get(name);
  if (text === undefined) throw fileError('ENOENT', name);
  return Buffer.from(text);
}

const fileError = (code: string, path: string): Error =>
  Object.assign(new Error(code), { syscall: 'open', code, path });

function filesOf(world: World) {
  const { files } = world.records.returns;
  const lines: string[] = [];
  return {
    access: {
      readFile: (name: string) => bytesOf(world, name),
      writeNew: (name: string, text: string): void => {
        if (files.has(name)) throw fileError('EEXIST', name);
        files.set(name, text);
      },
      print: (line: string): void => void lines.push(line),
    },
    ran: (code: number | null): Ran => ({ code, line: lines.at(-1) ?? '' }),
  };
}

/** The errors of a database that fails (faults/simulated-pool.ts). */
const OF_DATABASE = new Set(['08006', '40001', '40P01', '57014', '53300', '25006', '53100', '57P01']);

function isInterruption(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const isOfDatabase = 'code' in error && OF_DATABASE.has(String(error.code));
  return isOfDatabase || error instanceof Interrupted || error.message === 'the process ended here';
}
