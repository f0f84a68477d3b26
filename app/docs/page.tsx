// The documentation's index.

import { DocsFrame } from '@/components/docs/docs-frame';
import { DOCS_WORDS, GUIDES } from '@/components/docs/docs-text';

export const metadata = { title: DOCS_WORDS.title };

export default function DocsPage() {
  return (
    <DocsFrame current="/docs">
      <h1>{DOCS_WORDS.title}</h1>
      <p>{DOCS_WORDS.intro}</p>
      <h2>{DOCS_WORDS.guides}</h2>
      <ul className="docs-list">
        {GUIDES.map(({ slug, title, summary }) => (
          <li key={slug}>
            <a href={`/docs/${slug}`}>{title}</a>
            <p className="hint">{summary}</p>
          </li>
        ))}
      </ul>
      <h2>
        <a href="/docs/errors">{DOCS_WORDS.errors}</a>
      </h2>
      <p>{DOCS_WORDS.errorsIntro}</p>
    </DocsFrame>
  );
}
