// The command `npm run sanctions`, bundled for scripts/stabletill/sanctions.mjs: makes a file to sign from published lists, loads a signed file, and
// shows what is loaded.

import path from 'node:path';
import type { Pool } from '@/lib/platform/database/db';
import { BadList, readSanctionsFile, writeSanctionsFile } from './file';
import { loadSanctions } from './load';
import { readListState } from './read';
import { WRONG_USAGE } from '@/lib/platform/exit-code';

/** What a command needs from the machine. */
export type CommandDeps = {
  readonly pool: Pool;
  readonly print: (line: string) => void;
  /** Throws an Error for a file that cannot be read. */
  readonly readFile: (file: string) => Buffer;
  readonly writeFile: (file: string, text: string) => void;
  /** SCREENING_LIST_KEY: base64 of 32 bytes; absent without the setting. */
  readonly key: string | undefined;
  readonly now: () => Date;
};

/** Runs one command and returns the exit code. A file that is refused is printed; every other error is thrown. */
export async function runSanctions(words: readonly string[], deps: CommandDeps): Promise<number> {
  try {
    return await run(words, deps);
  } catch (error) {
    if (!(error instanceof BadList)) throw error;
    deps.print(`Nothing was changed: ${error.message}.`);
    return 1;
  }
}

async function run([command, first, ...words]: readonly string[], deps: CommandDeps): Promise<number> {
  if (command === 'make' && first !== undefined && words.length >= 2) return make(deps, first, words);
  if (command === 'load' && first !== undefined && words.length === 0) return load(deps, first);
  if (command === 'show' && first === undefined) return show(deps);
  return WRONG_USAGE;
}

function make(deps: CommandDeps, out: string, [day = '', ...files]: readonly string[]): number {
  const lists = files.map((file) => ({ name: path.parse(file).name, text: deps.readFile(file).toString('utf8') }));
  const { text, entries, skipped } = writeSanctionsFile(day, lists);
  deps.writeFile(out, text);
  deps.print(`${entries} addresses written, ${skipped} of other chains left out. Sign ${out} as docs/operate.md says.`);
  return 0;
}

async function load(deps: CommandDeps, file: string): Promise<number> {
  const now = deps.now();
  const key = Buffer.from(deps.key ?? '', 'base64');
  if (key.length !== 32) throw new BadList('SCREENING_LIST_KEY is not set to the public key of the list');
  const signature = deps.readFile(`${file}.sig`).toString('utf8');
  const list = readSanctionsFile({ bytes: deps.readFile(file), signature, key, now });
  const loaded = await loadSanctions(deps.pool, list, now);
  if (!loaded) {
    deps.print('This file is loaded already.');
    return 0;
  }
  const { added, removed, hits } = loaded;
  deps.print(
    `${list.entries.length} addresses as of ${list.asOf.toISOString()}: ${added} new, ${removed} no longer listed.`,
  );
  if (hits > 0) deps.print(`${hits} known addresses are newly listed: see Screening in the operator console.`);
  return 0;
}

async function show({ pool, print, now }: CommandDeps): Promise<number> {
  const { asOf, entries, isStale } = await readListState({ pool, clock: { now } });
  if (!asOf) print('No sanctions list is loaded.');
  else print(`${entries} addresses as of ${asOf.toISOString()}${isStale ? ', which is older than seven days' : ''}.`);
  return 0;
}
