// Passwords that are guessed first although they are long enough: words, names and dates with the usual substitutions, rows of
// keys, repetitions, and what belongs to the account itself (hardening D-19).

import type { ZxcvbnFactory } from '@zxcvbn-ts/core';

/** zxcvbn's scale from 0 to 4. Below 3 fewer than 10^8 guesses find it, which a leaked table of hashes does not withstand. */
const LEAST_SCORE = 3;
/** Characters that are looked at. A common beginning of this length is followed by nothing that matters. */
const LONGEST_CHECKED = 64;

/** The lists take megabytes, so a process loads them when somebody first chooses a password. */
let opened: Promise<ZxcvbnFactory> | null = null;

/** `own`: what strangers know of the account, such as its address. */
export async function isCommonPassword(password: string, own: readonly string[]): Promise<boolean> {
  const checker = await (opened ??= open());
  const typed = password.normalize('NFKC');
  return checker.check(typed, ['stabletill', ...own]).score < LEAST_SCORE;
}

async function open(): Promise<ZxcvbnFactory> {
  const [{ ZxcvbnFactory: Factory }, { adjacencyGraphs, dictionary }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ]);
  return new Factory({ dictionary, graphs: adjacencyGraphs, maxLength: LONGEST_CHECKED });
}
