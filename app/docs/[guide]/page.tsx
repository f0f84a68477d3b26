// One guide of the documentation.

import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { CodeBlock, DocsFrame } from '@/components/docs/docs-frame';
import { GUIDES } from '@/components/docs/docs-text';
import { SAMPLES } from '@/components/docs/samples';

type Props = { readonly params: Promise<{ guide: string }> };

const guideOf = async ({ params }: Props) => {
  const { guide } = await params;
  return GUIDES.find(({ slug }) => slug === guide) ?? notFound();
};

export async function generateMetadata(props: Props): Promise<Metadata> {
  return { title: (await guideOf(props)).title };
}

export default async function GuidePage(props: Props) {
  const { slug, title, summary, sections } = await guideOf(props);
  return (
    <DocsFrame current={`/docs/${slug}`}>
      <h1>{title}</h1>
      <p>{summary}</p>
      {sections.map((section) => (
        <section key={section.title}>
          <h2>{section.title}</h2>
          {section.text.map((paragraph) => (
            <p key={paragraph}>{paragraph}</p>
          ))}
          {section.list && (
            <ul className="plain">
              {section.list.map((entry) => (
                <li key={entry}>{entry}</li>
              ))}
            </ul>
          )}
          {section.code && <CodeBlock text={SAMPLES[section.code]} label={section.title} />}
        </section>
      ))}
    </DocsFrame>
  );
}
