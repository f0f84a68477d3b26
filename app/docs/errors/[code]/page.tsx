// The meaning of one error code and what to do about it: the target of `doc_url`.

import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { currentDocs } from '@/components/docs/current-docs';
import { CodeBlock, DocsFrame } from '@/components/docs/docs-frame';
import { ReferenceText } from '@/components/docs/rich-text';
import { errorExample } from '@/lib/api/openapi/refusals';
import { config } from '@/lib/platform/config/config';
import { ERROR_CODES, errorType, type ErrorCode } from '@/lib/platform/errors/errors';

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
  const { words, errors } = await currentDocs();
  const text = errors[code];
  return (
    <DocsFrame current="/docs/errors">
      <p>
        <a href={`/docs/errors#${code}`}>{words.errors}</a> ›
      </p>
      <h1>
        <code>{code}</code>
      </h1>
      <p className="muted">{`${ERROR_CODES[code].status} · ${errorType(code)}`}</p>
      <h2>{words.means}</h2>
      <p>
        <ReferenceText text={text.means} />
      </p>
      <h2>{words.why}</h2>
      <p>
        <ReferenceText text={text.why} />
      </p>
      <h2>{words.do}</h2>
      <p>
        <ReferenceText text={text.do} />
      </p>
      <h2>{words.example}</h2>
      <CodeBlock text={JSON.stringify(errorExample(code, config().PUBLIC_URL), null, 2)} label={words.example} />
    </DocsFrame>
  );
}
