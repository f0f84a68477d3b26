// Renders a guide's text with its code and links. No other markup has a meaning.

import type { ReactNode } from 'react';
import { withApiNames } from './api-names';

const PART = /`([^`]+)`|\[([^\]]+)\]\(((?:\/|#|https:)[^)\s]*)\)/g;

export function RichText({ text }: { text: string }) {
  const parts: ReactNode[] = [];
  let done = 0;
  for (const match of text.matchAll(PART)) {
    const [whole, code, label = '', address = ''] = match;
    parts.push(text.slice(done, match.index));
    parts.push(
      code === undefined ? (
        <a key={match.index} href={address}>
          {isCodeLink(label, address) ? <code>{label}</code> : label}
        </a>
      ) : (
        <code key={match.index}>{code}</code>
      ),
    );
    done = match.index + whole.length;
  }
  return (
    <>
      {parts}
      {text.slice(done)}
    </>
  );
}

/** A text of the reference, in which API names are not marked. */
export const ReferenceText = ({ text }: { text: string }) => <RichText text={withApiNames(text)} />;

/** A link whose label is the code that its page explains. */
const isCodeLink = (label: string, address: string): boolean => address === `/docs/errors/${label}`;
