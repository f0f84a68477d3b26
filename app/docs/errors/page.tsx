// All error codes, from the API's own table.

import type { Metadata } from 'next';
import { currentDocs } from '@/components/docs/current-docs';
import { DocsFrame } from '@/components/docs/docs-frame';
import { ReferenceText } from '@/components/docs/rich-text';
import { ERROR_CODES, type ErrorCode } from '@/lib/platform/errors/errors';

export const generateMetadata = async (): Promise<Metadata> => ({ title: (await currentDocs()).words.errors });

export default async function ErrorsPage() {
  const { words, errors } = await currentDocs();
  const codes = Object.keys(ERROR_CODES) as ErrorCode[];
  return (
    <DocsFrame current="/docs/errors">
      <h1>{words.errors}</h1>
      <p>
        <ReferenceText text={words.errorsIntro} />
      </p>
      <ul className="codes">
        {codes.map((code) => (
          <li key={code} id={code}>
            <a href={`/docs/errors/${code}`}>
              <code>{code}</code>
            </a>
            <span className="muted">{ERROR_CODES[code].status}</span>
            <p>
              <ReferenceText text={errors[code].means} />
            </p>
          </li>
        ))}
      </ul>
    </DocsFrame>
  );
}
