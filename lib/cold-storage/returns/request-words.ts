// The words of `npm run cold -- request`. Pure.

import type { Environment } from '@/lib/platform/ids';

export type RequestWords = {
  readonly network: string;
  readonly environment: Environment | null;
  readonly pairs: readonly (readonly [string, string])[];
  readonly nonceAccounts: readonly string[];
  /** The permission of a TRON account whose keys sign; null: the command chooses it. */
  readonly permission: number | null;
  readonly out: string | null;
};

/** Null for words that are no request. */
export function readRequestWords(words: readonly string[]): RequestWords | null {
  const plain: string[] = [];
  const named = { '--nonce': [] as string[], '--out': [] as string[], '--permission': [] as string[] };
  const environments: Environment[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string;
    if (word === '--live' || word === '--test') environments.push(word === '--live' ? 'live' : 'test');
    else if (word === '--nonce' || word === '--out' || word === '--permission') {
      const value = words[++at];
      if (value === undefined) return null;
      named[word].push(value);
    } else if (word.startsWith('-')) return null;
    else plain.push(word);
  }
  const [network, ...amounts] = plain;
  if (network === undefined || amounts.length === 0 || amounts.length % 2 !== 0) return null;
  const { '--nonce': nonceAccounts, '--out': outs, '--permission': permissions } = named;
  if (environments.length > 1 || outs.length > 1 || permissions.length > 1) return null;
  if (!permissions.every((one) => /^\d{1,3}$/.test(one))) return null;
  const pairs = Array.from({ length: amounts.length / 2 }, (_, index) => {
    return [amounts[2 * index] as string, amounts[2 * index + 1] as string] as const;
  });
  const permission = permissions[0] === undefined ? null : Number(permissions[0]);
  return { network, environment: environments[0] ?? null, pairs, nonceAccounts, permission, out: outs[0] ?? null };
}
