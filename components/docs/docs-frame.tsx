// The frame around every page of the documentation.

import type { ReactNode } from 'react';
import { CopyButton } from '@/components/ui/copy-button';
import { DOCS_WORDS } from './docs-text';
import { GUIDES } from './guides';

/** `current` is the path of the page, so that its link says so. */
export function DocsFrame({ current, children }: { current: string; children: ReactNode }) {
  const links = [
    { path: '/docs', title: DOCS_WORDS.title },
    ...GUIDES.map(({ slug, title }) => ({ path: `/docs/${slug}`, title })),
    { path: '/docs/reference', title: DOCS_WORDS.reference },
    { path: '/docs/errors', title: DOCS_WORDS.errors },
  ];
  return (
    <div className="docs docs-page">
      <a className="docs-skip" href="#content">
        {DOCS_WORDS.skip}
      </a>
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
      <main id="content" tabIndex={-1}>
        {children}
      </main>
    </div>
  );
}

/** Code as text that can be scrolled with the keyboard and copied. */
export function CodeBlock({ text, label }: { text: string; label: string }) {
  const { copy, copied, copyFailed } = DOCS_WORDS;
  return (
    <div className="docs-code">
      {/* A wide sample scrolls sideways, so the keyboard must be able to reach it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0} role="group" aria-label={label}>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} words={{ copy, copied, failed: copyFailed, label: `${copy}: ${label}` }} />
    </div>
  );
}
