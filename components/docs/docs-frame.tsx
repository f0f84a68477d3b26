// The frame around every page of the documentation.

import type { ReactNode } from 'react';
import { DOCS_WORDS, GUIDES } from './docs-text';

/** `current` is the path of the page, so that its link says so. */
export function DocsFrame({ current, children }: { current: string; children: ReactNode }) {
  const links = [
    { path: '/docs', title: DOCS_WORDS.title },
    ...GUIDES.map(({ slug, title }) => ({ path: `/docs/${slug}`, title })),
    { path: '/docs/errors', title: DOCS_WORDS.errors },
  ];
  return (
    <div className="docs">
      <nav className="docs-nav" aria-label={DOCS_WORDS.title}>
        <ul>
          {links.map(({ path, title }) => (
            <li key={path}>
              <a href={path} aria-current={path === current ? 'page' : undefined}>
                {title}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <main>{children}</main>
    </div>
  );
}

/** Code as text that can be scrolled with the keyboard. */
export function CodeBlock({ text, label }: { text: string; label: string }) {
  return (
    // A wide sample scrolls sideways, so the keyboard must be able to reach it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <pre tabIndex={0} role="region" aria-label={label}>
      <code>{text}</code>
    </pre>
  );
}
