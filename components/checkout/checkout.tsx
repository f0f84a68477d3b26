// The hosted page, drawn whole by the server from one view: complete and payable before any script runs.

import type { ReactNode } from 'react';
import { getWords } from '@/lib/i18n/translate';
import { chosenMethod, stageOf, type Stage } from '@/lib/sessions/checkout-stage';
import { publicStatus, type CheckoutView } from '@/lib/sessions/checkout-view';
import { LanguageLinks } from '@/components/ui/language-links';
import { Choice } from './choice';
import { Finder, type Asked } from './finder';
import { Live } from './live';
import { Notices } from './notices';
import { Outcome } from './outcome';
import { Payments } from './payments';
import { Receive } from './receive';
import { Summary } from './summary';

type Props = {
  readonly view: CheckoutView;
  readonly method: string | undefined;
  /** What the customer asked the payment finder; null when they did not. */
  readonly asked: Asked | null;
  /** What the order's refunds have to say, below its payments. */
  readonly children?: ReactNode;
};

/** Without scripts the page asks again by itself after this many seconds while something can still change. */
const RELOAD_SECONDS = 20;

export async function Checkout({ view, method, asked, children }: Props) {
  const { t, time } = await getWords();
  const { facts, methods } = view;
  const stage = stageOf(view);
  const chosen = chosenMethod(view, method);
  const kept = chosen && method !== undefined ? { method } : {};
  const query = asked ? { ...kept, transaction: asked.text } : kept;
  return (
    <div className="checkout">
      <Summary facts={facts} />
      <main className="panel">
        <div className="panel-head">
          <Outcome view={view} stage={stage} />
          <Live
            address={`/pay/${facts.id}/status`}
            drawn={publicStatus(view)}
            counts={stage === 'pay'}
            words={{ timeLeft: t('timeLeft'), offline: t('offline') }}
          />
        </div>
        {stage === 'pay' && <p className="hint pay-before">{t('payBefore', { time: time(facts.expires_at) })}</p>}
        <Notices view={view} />
        {stage === 'pay' && chosen && (
          <>
            <Choice methods={methods} chosen={chosen} />
            <Receive method={chosen} />
          </>
        )}
        <Payments seen={view.seen} />
        {children}
        {(stage !== 'paid' || asked) && <Finder sessionId={facts.id} method={kept.method} asked={asked} />}
        <ShopLink view={view} stage={stage} />
        {facts.status === 'pending' && <ReloadWithoutScripts />}
      </main>
      <footer className="foot">
        <p>
          <span>{t('reference')}</span>{' '}
          <code dir="ltr" translate="no">
            {facts.id}
          </code>
        </p>
        <LanguageLinks query={query} />
      </footer>
    </div>
  );
}

async function ShopLink({ view: { facts }, stage }: { view: CheckoutView; stage: Stage }) {
  const { t } = await getWords();
  // The success address is the merchant's sign that money arrived, so it is not shown before it did.
  const target = webAddress(stage === 'paid' ? facts.success_url : facts.cancel_url);
  // Who has sent everything may leave, but not by a link that tells the shop of a cancellation.
  if (!target || stage === 'confirming') return null;
  const isOver = facts.status !== 'pending';
  return (
    <a
      className={isOver ? 'button' : 'leave'}
      href={target.href}
      rel="noreferrer"
      data-link={stage === 'paid' ? 'success' : 'cancel'}
    >
      {t(isOver ? 'backToShop' : 'cancelAndBack', { host: target.host })}
    </a>
  );
}

function webAddress(text: string | null): URL | null {
  const url = text !== null && URL.canParse(text) ? new URL(text) : null;
  return url && (url.protocol === 'https:' || url.protocol === 'http:') ? url : null;
}

async function ReloadWithoutScripts() {
  const { t } = await getWords();
  return (
    <noscript>
      <meta httpEquiv="refresh" content={String(RELOAD_SECONDS)} />
      <p className="hint">{t('refreshesItself')}</p>
    </noscript>
  );
}
