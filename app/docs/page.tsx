// The documentation's index.

import { CodeBlock, DocsFrame } from '@/components/docs/docs-frame';
import { DOCS_WORDS } from '@/components/docs/docs-text';
import { fill } from '@/components/docs/fill';
import { DOCS_PAGES } from '@/components/docs/pages';
import { RichText } from '@/components/docs/rich-text';
import { readFacts } from './facts';

const INSTALL = 'npm install {origin}/sdk/stabletill-sdk.tgz';

export const metadata = { title: DOCS_WORDS.title };

export default async function DocsPage() {
  const facts = await readFacts();
  return (
    <DocsFrame current="/docs">
      <h1>{DOCS_WORDS.title}</h1>
      <p>{DOCS_WORDS.intro}</p>
      <p>
        <RichText text={DOCS_WORDS.install} />
      </p>
      <CodeBlock text={fill(INSTALL, facts)} label={DOCS_WORDS.installLabel} />
      <ul className="docs-list">
        {DOCS_PAGES.slice(1).map(({ path, title, summary }) => (
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
