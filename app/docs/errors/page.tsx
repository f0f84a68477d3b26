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
      <table>
        <thead>
          <tr>
            <th scope="col">{DOCS_WORDS.code}</th>
            <th scope="col">{DOCS_WORDS.status}</th>
            <th scope="col">{DOCS_WORDS.meaning}</th>
          </tr>
        </thead>
        <tbody>
          {codes.map((code) => (
            <tr key={code} id={code}>
              <td>
                <a href={`/docs/errors/${code}`}>
                  <code>{code}</code>
                </a>
              </td>
              <td>{ERROR_CODES[code].status}</td>
              <td>{ERROR_TEXTS[code].means}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </DocsFrame>
  );
}
