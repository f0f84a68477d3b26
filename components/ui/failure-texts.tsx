'use client';
// The texts for a rendering failure, in the page's language. A failed page cannot request them from a server, so every page
// includes the texts in its own language.

import { createContext, use, type ReactNode } from 'react';

export type Words = {
  readonly title: string;
  readonly text: string;
  readonly tryAgain: string;
  /** The product's name. */
  readonly product?: string;
};

const Failure = createContext<Words | null>(null);

export function FailureTexts({ words, children }: { words: Words; children: ReactNode }) {
  return <Failure value={words}>{children}</Failure>;
}

/** The page's texts; null outside of a page. */
export const useFailureTexts = (): Words | null => use(Failure);
