// One guide of the documentation.

import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { currentDocs } from '@/components/docs/current-docs';
import { DocsFrame } from '@/components/docs/docs-frame';
import { fillSection } from '@/components/docs/fill';
import { GuideSection } from '@/components/docs/guide-section';
import { shownGuides } from '@/components/docs/guides';
import { RichText } from '@/components/docs/rich-text';
import { readFacts } from '@/app/docs/facts';
import { readSnippet } from '@/app/docs/snippets';

type Props = { readonly params: Promise<{ guide: string }> };

const guideOf = async ({ params }: Props) => {
  const { guide } = await params;
  return shownGuides(await currentDocs()).find(({ slug }) => slug === guide) ?? notFound();
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
        snippets: snippet ? await readSnippet(snippet) : null,
      };
    }),
  );
  return (
    <DocsFrame current={`/docs/${slug}`} contents={sections.map(({ id, title: of }) => ({ id, title: of }))}>
      <h1>{title}</h1>
      <p>
        <RichText text={summary} />
      </p>
      {shown.map(({ section, snippets }) => (
        <GuideSection key={section.id} section={section} snippets={snippets} />
      ))}
    </DocsFrame>
  );
}
