// All error codes, from the table that the API answers by.

import { DocsFrame } from '@/components/docs/docs-frame';
import { DOCS_WORDS, ERROR_TEXTS } from '@/components/docs/docs-text';
import { ERROR_CODES, type ErrorCode } from '@/lib/errors';

export const metadata = { title: DOCS_WORDS.errors };

export default function ErrorsPage() {
  const codes = Object.keys(ERROR_CODES) as ErrorCode[];
  return (
    <DocsFrame current="/docs/errors">
      <h1>{DOCS_WORDS.errors}</h1>
      <p>{DOCS_WORDS.errorsIntro}</p>
      <ul className="codes">
        {codes.map((code) => (
          <li key={code} id={code}>
            <a href={`/docs/errors/${code}`}>
              <code>{code}</code>
            </a>
            <span className="muted">{ERROR_CODES[code].status}</span>
            <p>{ERROR_TEXTS[code].means}</p>
          </li>
        ))}
      </ul>
    </DocsFrame>
  );
}
