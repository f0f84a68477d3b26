// What one error code means and what to do about it: where `doc_url` leads.

import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { CodeBlock, DocsFrame } from '@/components/docs/docs-frame';
import { DOCS_WORDS, ERROR_TEXTS } from '@/components/docs/docs-text';
import { config } from '@/lib/config';
import { ERROR_CODES, type ErrorCode } from '@/lib/errors';

type Props = { readonly params: Promise<{ code: string }> };

const codeOf = async ({ params }: Props): Promise<ErrorCode> => {
  const { code } = await params;
  return Object.hasOwn(ERROR_CODES, code) ? (code as ErrorCode) : notFound();
};

export async function generateMetadata(props: Props): Promise<Metadata> {
  return { title: await codeOf(props) };
}

export default async function ErrorCodePage(props: Props) {
  const code = await codeOf(props);
  const { status, type, message } = ERROR_CODES[code];
  const text = ERROR_TEXTS[code];
  const example = {
    error: { type, code, message, doc_url: `${config().PUBLIC_URL}/docs/errors/${code}` },
    request_id: 'req_7Zc2VbqTn4Wm1XkPdR8sLa',
    timestamp: 1_700_000_000,
  };
  return (
    <DocsFrame current="/docs/errors">
      <h1>
        <code>{code}</code>
      </h1>
      <p className="muted">{`${status} · ${type}`}</p>
      <h2>{DOCS_WORDS.means}</h2>
      <p>{text.means}</p>
      <h2>{DOCS_WORDS.why}</h2>
      <p>{text.why}</p>
      <h2>{DOCS_WORDS.do}</h2>
      <p>{text.do}</p>
      <h2>{DOCS_WORDS.example}</h2>
      <CodeBlock text={JSON.stringify(example, null, 2)} label={DOCS_WORDS.example} />
    </DocsFrame>
  );
}
