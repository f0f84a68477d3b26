// The languages of the code that the guides show.

export const LANGUAGES = [
  { id: 'curl', title: 'curl', extension: 'sh' },
  { id: 'node', title: 'Node', extension: 'mjs' },
  { id: 'python', title: 'Python', extension: 'py' },
  { id: 'php', title: 'PHP', extension: 'php' },
  { id: 'go', title: 'Go', extension: 'go' },
] as const;

/** A program of docs/snippets. */
export type SnippetName = 'quick-start' | 'signature-v2' | 'webhook';
/** It in one language. */
export type Snippet = { readonly id: string; readonly title: string; readonly text: string };

/** The languages that a program is written in: a shell receives no webhooks, and cannot build signature version 2 in a few lines. */
export const languagesOf = (name: SnippetName): readonly (typeof LANGUAGES)[number][] =>
  LANGUAGES.filter(({ id }) => id !== 'curl' || name === 'quick-start');
