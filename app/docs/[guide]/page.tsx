// One guide of the documentation.

import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { DocsFrame } from '@/components/docs/docs-frame';
import { anchorOf } from '@/components/docs/docs-text';
import { fillSection } from '@/components/docs/fill';
import { GuideSection } from '@/components/docs/guide-section';
import { GUIDES } from '@/components/docs/guides';
import { RichText } from '@/components/docs/rich-text';
import { readFacts } from '../facts';
import { readSnippet } from '../snippets';

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
  const facts = await readFacts();
  const shown = await Promise.all(
    sections.map(async (section) => {
      const { snippet } = section;
      return {
        section: fillSection(section, facts),
        snippets: snippet ? await readSnippet(snippet.name, snippet.part) : null,
      };
    }),
  );
  return (
    <DocsFrame
      current={`/docs/${slug}`}
      contents={sections.map((one) => ({ id: anchorOf(one.title), title: one.title }))}
    >
      <h1>{title}</h1>
      <p>
        <RichText text={summary} />
      </p>
      {shown.map(({ section, snippets }) => (
        <GuideSection key={section.title} section={section} snippets={snippets} />
      ))}
    </DocsFrame>
  );
}
