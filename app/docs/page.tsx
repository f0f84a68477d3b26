// The documentation's index.

import type { Metadata } from 'next';
import { currentDocs } from '@/components/docs/current-docs';
import { CodeBlock, DocsFrame } from '@/components/docs/docs-frame';
import { fill } from '@/components/docs/fill';
import { docsPages } from '@/components/docs/pages';
import { RichText } from '@/components/docs/rich-text';
import { readFacts } from './facts';

const INSTALL = 'npm install {origin}/sdk/stabletill-sdk.tgz';

export const generateMetadata = async (): Promise<Metadata> => ({ title: (await currentDocs()).words.title });

export default async function DocsPage() {
  const [facts, docs] = await Promise.all([readFacts(), currentDocs()]);
  const { words } = docs;
  return (
    <DocsFrame current="/docs">
      <h1>{words.title}</h1>
      <p>{words.intro}</p>
      <p>
        <RichText text={words.install} />
      </p>
      <CodeBlock text={fill(INSTALL, facts)} label={words.installLabel} />
      <ul className="docs-list">
        {docsPages(docs)
          .slice(1)
          .map(({ path, title, summary }) => (
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
