// Reads the words after `npm run cold -- request`. Pure.

import type { Environment } from '@/lib/platform/ids';

export type RequestWords = {
  readonly network: string;
  readonly environment: Environment | null;
  readonly pairs: readonly (readonly [string, string])[];
  readonly nonceAccounts: readonly string[];
  readonly executor: string | null;
  readonly out: string | null;
};

/** Null: they are no words of this command. */
export function readRequestWords(words: readonly string[]): RequestWords | null {
  const plain: string[] = [];
  const environments: Environment[] = [];
  const named: Record<'--nonce' | '--out' | '--executor', string[]> = { '--nonce': [], '--out': [], '--executor': [] };
  for (let at = 0; at < words.length; at++) {
    const word = words[at] as string;
    if (word === '--live' || word === '--test') environments.push(word === '--live' ? 'live' : 'test');
    else if (word === '--nonce' || word === '--out' || word === '--executor') {
      const value = words[++at];
      if (value === undefined) return null;
      named[word].push(value);
    } else if (word.startsWith('-')) return null;
    else plain.push(word);
  }
  const [network, ...amounts] = plain;
  if (network === undefined || amounts.length === 0 || amounts.length % 2 !== 0) return null;
  const { '--nonce': nonceAccounts, '--out': outs, '--executor': executors } = named;
  if (environments.length > 1 || outs.length > 1 || executors.length > 1) return null;
  const pairs = Array.from({ length: amounts.length / 2 }, (_, index) => {
    return [amounts[2 * index] as string, amounts[2 * index + 1] as string] as const;
  });
  const once = { environment: environments[0] ?? null, out: outs[0] ?? null, executor: executors[0] ?? null };
  return { network, pairs, nonceAccounts, ...once };
}
