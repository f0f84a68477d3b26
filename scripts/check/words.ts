// The retired words (docs/glossary.md), found in code, comments, test names, documents and English texts. The list has
// only unambiguous words: "line" or "look" have honest uses, a "riddle" has none.

/** A retired word, its pattern in any file, and its replacement. */
export type RetiredWord = { readonly word: string; readonly pattern: RegExp; readonly instead: string };

export const RETIRED_WORDS: readonly RetiredWord[] = [
  { word: 'riddle', pattern: /riddle/i, instead: 'ambiguous attempt' },
  { word: 'oddity, odd payment', pattern: /oddit(y|ies)|odd payments?\b|odd ones\b/i, instead: 'payment exception' },
  { word: 'doer', pattern: /\bdoer|Doer/, instead: 'actor' },
  { word: 'fate', pattern: /\bfates?\b|[a-z]Fate|\bFate/, instead: 'attempt outcome' },
  { word: 'receiving address', pattern: /receiving address/i, instead: 'deposit address' },
  { word: 'held sender', pattern: /held senders?\b|HeldSender/, instead: 'exchange wallet' },
  { word: 'the desk', pattern: /\b(the|operator['’]?s?) desk\b/i, instead: 'the operator console' },
  { word: 'vouch', pattern: /\bvouch(es|ed|ing)? (for|that)\b|isVouched|reVouch/i, instead: 'attest' },
  { word: 'word of', pattern: /\bwordOf\b|\bword for it\b/, instead: 'report of, confirmation' },
  { word: 'look back, second pass', pattern: /\blook(s|ed)? back\b|\bsecond pass\b/i, instead: 'backfill, re-scan' },
  { word: 'set apart', pattern: /\bset apart\b/i, instead: 'reserved' },
  { word: 'whoever', pattern: /\bwhoever\b/i, instead: 'the actor by name' },
  { word: 'what of', pattern: /^\W*what of\b/im, instead: 'a plain sentence' },
];

/** One sentence for each retired word in a text, with its line. Pure. */
export function retiredWordsIn(path: string, text: string): string[] {
  return text
    .split('\n')
    .flatMap((line, index) =>
      RETIRED_WORDS.filter(({ pattern }) => pattern.test(line)).map(
        ({ word, instead }) => `${path}:${index + 1} says “${word}”: write ${instead}`,
      ),
    );
}
