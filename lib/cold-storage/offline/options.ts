// Reads the command line of stabletill-offline. Pure.

export type Options = {
  readonly command: 'show' | 'sign';
  readonly file: string;
  readonly to: string | null;
  readonly toFile: string | null;
  readonly key: { readonly file: string; readonly path: string | null } | null;
  /** Files of those who have signed the request already. */
  readonly signed: readonly string[];
  readonly out: string | null;
  readonly confirm: string | null;
  readonly json: boolean;
};

/** An empty message stands for the usage. */
export class UsageError extends Error {
  constructor(message = '') {
    super(message);
    this.name = 'UsageError';
  }
}

const NAMES = ['--to', '--to-file', '--key-file', '--words-file', '--path', '--out', '--confirm', '--signed'] as const;
type Name = (typeof NAMES)[number];
const ONLY_TO_SIGN: readonly Name[] = ['--key-file', '--words-file', '--path', '--out', '--confirm', '--signed'];

/** Throws UsageError. */
export function readOptions(words: readonly string[]): Options | 'help' {
  const [command, file, ...rest] = words;
  if (command === '--help' && file === undefined) return 'help';
  if ((command !== 'show' && command !== 'sign') || file === undefined || file.startsWith('--')) throw new UsageError();
  const { given, json } = readNamed(rest);
  const value = (name: Name): string | null => given.get(name)?.[0] ?? null;
  if ((value('--to') === null) === (value('--to-file') === null))
    throw new UsageError('Name the only allowed destination by --to or by --to-file.');
  if (command === 'show' && ONLY_TO_SIGN.some((name) => given.has(name))) throw new UsageError();
  if (command === 'sign' && json) throw new UsageError();
  return {
    ...{ command, file, to: value('--to'), toFile: value('--to-file'), out: value('--out') },
    ...{ signed: given.get('--signed') ?? [] },
    ...{ confirm: value('--confirm'), json, key: keyOf(value('--key-file'), value('--words-file'), value('--path')) },
  };
}

function readNamed(words: readonly string[]): {
  readonly given: ReadonlyMap<Name, readonly string[]>;
  readonly json: boolean;
} {
  const given = new Map<Name, string[]>();
  let json = false;
  for (let at = 0; at < words.length; at++) {
    if (words[at] === '--json' && !json) {
      json = true;
      continue;
    }
    const name = NAMES.find((one) => one === words[at]);
    const value = words[++at];
    if (!name || value === undefined || (given.has(name) && name !== '--signed')) throw new UsageError();
    given.set(name, [...(given.get(name) ?? []), value]);
  }
  return { given, json };
}

function keyOf(keyFile: string | null, wordsFile: string | null, path: string | null): Options['key'] {
  if (keyFile !== null && wordsFile === null && path === null) return { file: keyFile, path: null };
  if (wordsFile !== null && path !== null && keyFile === null) return { file: wordsFile, path };
  if (keyFile === null && wordsFile === null && path === null) return null;
  throw new UsageError('Name one key: --key-file F, or --words-file F --path P.');
}
