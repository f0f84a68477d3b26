// A worked example of one signature, computed by the service's own code.

import { signatureOf } from '@/lib/platform/crypto';
import { currentDocs } from './current-docs';

/** The calculator's initial values. The secret opens nothing. */
export const SIGNING_EXAMPLE = {
  secret: 'as_test_documentation',
  timestamp: '1700000000',
  nonce: 'f47ac10b-58cc-4372-a567-0e02b2c3d479',
  body: '{"amount":1250,"currency":"USD","order_id":"order-1001"}',
};

export async function SigningExample() {
  const { secret, timestamp, nonce, body } = SIGNING_EXAMPLE;
  const { calculator: words } = (await currentDocs()).words;
  const rows = [
    [words.secret, secret],
    [words.timestamp, timestamp],
    [words.nonce, nonce],
    [words.body, body],
    [words.signString, `${timestamp}.${nonce}.${body}`],
    [words.signature, signatureOf(secret, timestamp, nonce, body).toString('hex')],
  ] as const;
  return (
    <dl className="docs-result">
      {rows.flatMap(([title, text]) => [
        <dt key={title}>{title}</dt>,
        <dd key={`${title} text`}>
          <code>{text}</code>
        </dd>,
      ])}
    </dl>
  );
}
