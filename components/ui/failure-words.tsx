'use client';
// The words for a failure while drawing, in the language of the page. No server can be asked for them any more when they are
// needed, so every page brings them along; only the three of its own language.

import { createContext, use, type ReactNode } from 'react';

export type Words = { readonly title: string; readonly text: string; readonly tryAgain: string };

const Failure = createContext<Words | null>(null);

export function FailureWords({ words, children }: { words: Words; children: ReactNode }) {
  return <Failure value={words}>{children}</Failure>;
}

/** The words; null outside of a page. */
export const useFailureWords = (): Words | null => use(Failure);
