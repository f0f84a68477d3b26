// Finds citations of documents in code and documents, the headings and rows that they may name, and papers that are not in the
// repository. Pure.

/** A cited document, as written (`docs/operate.md`, or `operate.md` inside docs/), and the slug of its heading or null. */
export type Citation = { readonly line: number; readonly document: string; readonly slug: string | null };

const CITED =
  /(?<![\w./-])((?:[\w.-]+\/)*[\w-]+\.md)(?:#([\p{L}\p{N}_-]+))?(?:`?, (?:["“]([^"”\n]+)["”]|([A-Z][\w -]+)(?=\))))?/gu;

/** Every document that a text names, with the heading after `#`, in quotation marks, or before a closing parenthesis. */
export function citationsIn(text: string): Citation[] {
  return text.split('\n').flatMap((written, index) =>
    [...written.matchAll(CITED)].map(([, document = '', slug, quoted, bare]) => {
      const heading = quoted ?? bare;
      return { line: index + 1, document, slug: slug ?? (heading === undefined ? null : slugOf(heading)) };
    }),
  );
}

/** The anchor of a heading, as GitHub makes it. */
export const slugOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');

/** The anchors of a document. Lines of code blocks are no headings. */
export function slugsOf(markdown: string): Set<string> {
  const withoutCode = markdown.replaceAll(/^```.*?^```/gms, '');
  return new Set([...withoutCode.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) => slugOf(heading)));
}

/** Papers that the project was built from and that no reader of the repository has, in the forms in which they were cited. */
const PAPERS: readonly RegExp[] = [
  /\bhardening (?:\d|[A-Z]{1,3}-\d)/i,
  /\b(?:chains|stack|treasury|interop|spec|decisions|architecture|sandbox) (?:section )?\d+\.\d/,
  /\((?:decisions|architecture|hardening): |\(spec: [A-Z][a-z]+[ )]/,
  /\.\.\/shared\/(?!acceptance\/)/,
];

/** One sentence for each line of a text that cites such a paper. */
export const papersIn = (path: string, text: string): string[] =>
  text
    .split('\n')
    .flatMap((line, index) =>
      PAPERS.some((paper) => paper.test(line)) ? [`${path}:${index + 1} ${line.trim()}`] : [],
    );

/** Ids of rows of docs/failure-model.md that a text names: `S-04`, and `INV-6` for the query `INV-6c`. */
export const rowsNamedIn = (text: string): string[] =>
  [...text.matchAll(/\b(?:([A-Z]-\d{2})(?!\d)|(INV-\d{1,2})[a-z]?)\b/g)].map(
    ([, row, invariant]) => row ?? invariant ?? '',
  );

/** The first cells of the tables of a document. */
export const firstCells = (markdown: string): Set<string> =>
  new Set([...markdown.matchAll(/^\| +([^|]+?) +\|/gm)].map(([, cell = '']) => cell));
