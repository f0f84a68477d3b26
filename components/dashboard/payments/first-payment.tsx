'use client';
// Shown while there is no payment: a program to copy that makes the first one.

import { ButtonLink } from '@/components/ui/button';
import { Empty } from '@/components/ui/card';
import { CodeBlock } from '@/components/ui/code-block';
import { useWords } from '@/components/ui/words';

const curl = (origin: string): string => `BODY='{"amount":1250,"currency":"USD","order_id":"order-'$(date +%s)'"}'
TIMESTAMP=$(date +%s)
NONCE=$(openssl rand -hex 16)
SIGNATURE=$(printf '%s.%s.%s' "$TIMESTAMP" "$NONCE" "$BODY" | openssl dgst -sha256 -hmac "$STABLETILL_API_SECRET" | sed 's/^.* //')
curl ${origin}/api/v1/checkout/sessions/create \\
  -H "Authorization: Bearer $STABLETILL_API_KEY" \\
  -H "X-Service-Timestamp: $TIMESTAMP" -H "X-Service-Nonce: $NONCE" -H "X-Service-Signature: $SIGNATURE" \\
  -H 'Content-Type: application/json' -d "$BODY"`;

const sdk = (
  origin: string,
): string => `// npm install ${origin}/sdk/stabletill-sdk.tgz, then save this as pay.mjs and run: node pay.mjs
import { Stabletill } from '@stabletill/sdk';

const stabletill = new Stabletill({
  apiKey: process.env.STABLETILL_API_KEY,
  apiSecret: process.env.STABLETILL_API_SECRET,
  baseUrl: '${origin}',
});
const session = await stabletill.sessions.create({
  amount: 1250, // 12.50 USD
  currency: 'USD',
  order_id: 'order-' + Date.now(), // your number of the order, once
});
console.log('Send the customer to', session.url);`;

/** `keysHref`: null for members who may not create keys. */
export function FirstPayment({ origin, keysHref }: { origin: string; keysHref: string | null }) {
  const { t } = useWords();
  return (
    <div className="pb-6">
      <Empty icon="payments" title={t('payNoneTitle')} text={t('payNoneText')}>
        {keysHref !== null && (
          <ButtonLink href={keysHref} kind="primary" icon="keys">
            {t('payNoneKey')}
          </ButtonLink>
        )}
        <ButtonLink href="/docs" icon="external">
          {t('navDocs')}
        </ButtonLink>
      </Empty>
      <section
        aria-label={t('payNoneExample')}
        className="mx-auto grid max-w-3xl grid-cols-[minmax(0,1fr)] gap-5 px-4 sm:px-6"
      >
        <Example name="JavaScript" text={sdk(origin)} />
        <Example name="curl" text={curl(origin)} />
      </section>
    </div>
  );
}

function Example({ name, text }: { name: string; text: string }) {
  return (
    <div className="grid min-w-0 gap-1.5">
      <h3 className="text-[0.8125rem] font-semibold text-muted">{name}</h3>
      <CodeBlock label={name} text={text} />
    </div>
  );
}
