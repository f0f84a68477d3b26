// Reads the words after `npm run cold -- request`. Pure.

import type { Environment } from '@/lib/platform/ids';
import type { NamedSquads } from './draft';

export type RequestWords = {
  readonly network: string;
  readonly environment: Environment | null;
  readonly pairs: readonly (readonly [string, string])[];
  readonly nonceAccounts: readonly string[];
  readonly executor: string | null;
  readonly permission: number | null;
  readonly squads: NamedSquads | null;
  readonly out: string | null;
};

const NAMES = ['--nonce', '--out', '--executor', '--permission', '--multisig', '--member'] as const;
type Name = (typeof NAMES)[number];
const isName = (word: string): word is Name => (NAMES as readonly string[]).includes(word);

/** Null: they are no words of this command. */
export function readRequestWords(words: readonly string[]): RequestWords | null {
  const plain: string[] = [];
  const environments: Environment[] = [];
  const named = Object.fromEntries(NAMES.map((name): [Name, string[]] => [name, []])) as Record<Name, string[]>;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string;
    if (word === '--live' || word === '--test') environments.push(word === '--live' ? 'live' : 'test');
    else if (isName(word)) {
      const value = words[++at];
      if (value === undefined) return null;
      named[word].push(value);
    } else if (word.startsWith('-')) return null;
    else plain.push(word);
  }
  const [network, ...amounts] = plain;
  if (network === undefined || amounts.length === 0 || amounts.length % 2 !== 0) return null;
  const { '--nonce': nonceAccounts, '--out': outs, '--executor': executors, '--permission': permissions } = named;
  if (environments.length > 1 || outs.length > 1 || executors.length > 1 || permissions.length > 1) return null;
  if (!permissions.every((one) => /^\d{1,3}$/.test(one))) return null;
  const { '--multisig': multisigs, '--member': members } = named;
  const [multisig] = multisigs;
  if (multisigs.length > 1 || (multisig === undefined) !== (members.length === 0)) return null;
  const squads = multisig === undefined ? null : { multisig, members };
  const pairs = Array.from({ length: amounts.length / 2 }, (_, index) => {
    return [amounts[2 * index] as string, amounts[2 * index + 1] as string] as const;
  });
  const once = { environment: environments[0] ?? null, out: outs[0] ?? null, executor: executors[0] ?? null };
  const permission = permissions[0] === undefined ? null : Number(permissions[0]);
  return { network, pairs, nonceAccounts, permission, squads, ...once };
}
