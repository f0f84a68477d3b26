// Passwords that attackers guess first although they are long enough: the most leaked ones, words, names and dates with the
// usual substitutions, keyboard rows, repetitions, and the account's own data.

/**
 * zxcvbn's scale from 0 to 4. A password below 3 takes fewer than 10^8 guesses, so a leaked table of hashes would reveal it.
 */
const LEAST_SCORE = 3;
/** Characters that are checked. Text after a common beginning of this length does not matter. */
const LONGEST_CHECKED = 64;

type IsCommon = (password: string, own: readonly string[]) => boolean;

/** The lists take megabytes, so a process loads them when a user first chooses a password. */
let opened: Promise<IsCommon> | null = null;

/** `own`: what strangers know of the account, such as its address. */
export async function isCommonPassword(password: string, own: readonly string[]): Promise<boolean> {
  const isCommon = await (opened ??= open());
  return isCommon(password.normalize('NFKC'), own);
}

/**
 * Two lists, because zxcvbn's passwords mostly have fewer than ten characters. The other list has the 50,000 most leaked
 * passwords of eight characters or more, in lower case.
 */
async function open(): Promise<IsCommon> {
  const [{ default: leaked }, { ZxcvbnFactory }, { adjacencyGraphs, dictionary }] = await Promise.all([
    import('fxa-common-password-list'),
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ]);
  const checker = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs, maxLength: LONGEST_CHECKED });
  return (password, own) =>
    leaked.test(password.toLowerCase()) || checker.check(password, ['stabletill', ...own]).score < LEAST_SCORE;
}
