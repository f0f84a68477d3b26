// A page that says one thing: not found, went wrong.

import type { ReactNode } from 'react';

type Props = { readonly title: string; readonly text: string; readonly children?: ReactNode };

export function MessagePage({ title, text, children }: Props) {
  return (
    <main className="message-page">
      <h1>{title}</h1>
      <p>{text}</p>
      {children}
    </main>
  );
}
