// Passwords that are guessed first although they are long enough: those that leaked most often, words, names and dates with the
// usual substitutions, rows of keys, repetitions, and what belongs to the account itself (hardening D-19).

/** zxcvbn's scale from 0 to 4. Below 3 fewer than 10^8 guesses find it, which a leaked table of hashes does not withstand. */
const LEAST_SCORE = 3;
/** Characters that are looked at. A common beginning of this length is followed by nothing that matters. */
const LONGEST_CHECKED = 64;

type IsCommon = (password: string, own: readonly string[]) => boolean;

/** The lists take megabytes, so a process loads them when somebody first chooses a password. */
let opened: Promise<IsCommon> | null = null;

/** `own`: what strangers know of the account, such as its address. */
export async function isCommonPassword(password: string, own: readonly string[]): Promise<boolean> {
  const isCommon = await (opened ??= open());
  return isCommon(password.normalize('NFKC'), own);
}

/**
 * Two lists, because zxcvbn's passwords have mostly fewer than ten characters. The other list has the 50,000 passwords of eight
 * characters or more that leaked most often, in lower case.
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
