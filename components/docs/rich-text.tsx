// A text of the guides with its code and links drawn. Nothing else in it has a meaning.

import type { ReactNode } from 'react';

const PART = /`([^`]+)`|\[([^\]]+)\]\(((?:\/|#|https:)[^)\s]*)\)/g;

export function RichText({ text }: { text: string }) {
  const parts: ReactNode[] = [];
  let done = 0;
  for (const match of text.matchAll(PART)) {
    const [whole, code, label, address] = match;
    parts.push(text.slice(done, match.index));
    parts.push(
      code === undefined ? (
        <a key={match.index} href={address}>
          {label}
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
