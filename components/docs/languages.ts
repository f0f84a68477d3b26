// The languages of the code in the guides.

export const LANGUAGES = [
  { id: 'node', title: 'Node', extension: 'mjs' },
  { id: 'python', title: 'Python', extension: 'py' },
  { id: 'php', title: 'PHP', extension: 'php' },
  { id: 'go', title: 'Go', extension: 'go' },
  { id: 'curl', title: 'curl', extension: 'sh' },
] as const;
export type LanguageId = (typeof LANGUAGES)[number]['id'];

/** The language of samples until the reader chooses another. */
export const FIRST_LANGUAGE: LanguageId = LANGUAGES[0].id;

export const isLanguageId = (text: string | undefined): text is LanguageId => LANGUAGES.some(({ id }) => id === text);

/** A program of docs/snippets. */
export type SnippetName = 'quick-start' | 'signature-v2' | 'webhook';
/** A program of docs/snippets that uses the SDK, so it exists in Node only. */
export type SdkSnippetName = 'sdk-session' | 'sdk-webhook';
/** A program of docs/snippets that is read as it is, in Node. */
export type NodeSnippetName = SdkSnippetName | 'verify-reserves';
/** The program in one language. */
export type Snippet = { readonly id: LanguageId; readonly title: string; readonly text: string };

/** The languages of a program: a shell receives no webhooks, and cannot build signature version 2 in a few lines. */
export const languagesOf = (name: SnippetName | NodeSnippetName): readonly (typeof LANGUAGES)[number][] =>
  LANGUAGES.filter(({ id }) => {
    if (name === 'sdk-session' || name === 'sdk-webhook' || name === 'verify-reserves') return id === 'node';
    return id !== 'curl' || name === 'quick-start';
  });
