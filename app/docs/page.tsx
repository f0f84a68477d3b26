// The documentation's index.

import { DocsFrame } from '@/components/docs/docs-frame';
import { DOCS_WORDS } from '@/components/docs/docs-text';
import { GUIDES } from '@/components/docs/guides';
import { RichText } from '@/components/docs/rich-text';

export const metadata = { title: DOCS_WORDS.title };

export default function DocsPage() {
  const entries = [
    ...GUIDES.map(({ slug, title, summary }) => ({ path: `/docs/${slug}`, title, summary })),
    { path: '/docs/reference', title: DOCS_WORDS.reference, summary: DOCS_WORDS.referenceIntro },
    { path: '/docs/errors', title: DOCS_WORDS.errors, summary: DOCS_WORDS.errorsIntro },
  ];
  return (
    <DocsFrame current="/docs">
      <h1>{DOCS_WORDS.title}</h1>
      <p>{DOCS_WORDS.intro}</p>
      <ul className="docs-list">
        {entries.map(({ path, title, summary }) => (
          <li key={path}>
            <a href={path}>{title}</a>
            <p className="hint">
              <RichText text={summary} />
            </p>
          </li>
        ))}
      </ul>
    </DocsFrame>
  );
}
