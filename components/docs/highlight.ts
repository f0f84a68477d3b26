// Finds comments and strings in a sample, so that each gets its colour. Pure. All other text is unchanged, and the
// parts together are the sample.

/** `at`: where the part begins in the sample. */
export type CodePart = { readonly at: number; readonly text: string; readonly kind?: 'comment' | 'string' };

/** The language of samples without one: code in guides, and the bodies of the reference. */
export function languageOf(sample: string): string {
  if (/^[{[]/.test(sample)) return 'JSON';
  if (/^(?:npm|npx|export|eval|curl) /.test(sample)) return 'Shell';
  if (/^(?:import|const) /.test(sample)) return 'JavaScript';
  if (sample.startsWith('<')) return 'HTML';
  return /^(?:[A-Z]+ \/|"@)/.test(sample) ? 'HTTP' : 'Text';
}

const QUOTED = String.raw`"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'`;
const SLASHES = String.raw`(?<=^|\s)\/\/.*`;
const HASH = String.raw`(?<=^|\s)#.*`;
const PROGRAM = `(?<string>${QUOTED}|\`(?:\\\\.|[^\`\\\\])*\`)|(?<comment>${SLASHES})`;
/** In a shell a text in single quotes may be a whole program. */
const SHELL = String.raw`(?<string>"(?:\\.|[^"\\\n])*"|'[^']*')|(?<comment>${HASH})`;

const PATTERNS: Readonly<Record<string, string>> = {
  // A field's name is not highlighted as a string.
  JSON: String.raw`"(?:\\.|[^"\\])*"\s*:|(?<string>"(?:\\.|[^"\\])*")`,
  Shell: SHELL,
  curl: SHELL,
  Python: `(?<string>${QUOTED})|(?<comment>${HASH})`,
  PHP: `(?<string>${QUOTED})|(?<comment>${SLASHES}|${HASH})`,
  HTML: `(?<string>${QUOTED})|(?<comment><!--[^]*?-->)`,
  JavaScript: PROGRAM,
  Node: PROGRAM,
  Go: PROGRAM,
};

export function partsOf(sample: string, language: string): readonly CodePart[] {
  const pattern = PATTERNS[language];
  if (pattern === undefined) return [{ at: 0, text: sample }];
  const parts: CodePart[] = [];
  let done = 0;
  for (const match of sample.matchAll(new RegExp(pattern, 'gm'))) {
    const { comment, string } = match.groups ?? {};
    if (comment === undefined && string === undefined) continue;
    if (match.index > done) parts.push({ at: done, text: sample.slice(done, match.index) });
    parts.push({ at: match.index, text: match[0], kind: comment === undefined ? 'string' : 'comment' });
    done = match.index + match[0].length;
  }
  return done < sample.length ? [...parts, { at: done, text: sample.slice(done) }] : parts;
}
