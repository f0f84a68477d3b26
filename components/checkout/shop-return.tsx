// The way back to the shop: a link, and on a finished payment a countdown that ends with the redirect. Without scripts
// the browser's refresh does the same.

import type { ReactNode } from 'react';
import { getWords } from '@/lib/i18n/translate';
import type { ShopReturn } from '@/lib/payments/checkout/shop-return';
import './elements';

/** Long enough to read the outcome and to press the button that cancels the redirect. */
const RETURN_SECONDS = 5;
/** In the page's address after that button was pressed without scripts. */
export const STAY = 'stay';

type Kept = Readonly<Record<string, string>>;

const CLASSES = { main: 'button', quiet: 'button-quiet', cancel: 'leave' } as const;

/** `cancel` leaves a payment that can still be made; otherwise the link is one of the remaining actions. */
export async function ShopLink({ to, kind }: { to: ShopReturn; kind: keyof typeof CLASSES }) {
  const { t } = await getWords();
  return (
    <a className={CLASSES[kind]} href={to.url.href} rel="noreferrer" data-link={to.kind}>
      {t(kind === 'cancel' ? 'cancelAndBack' : 'backToShop', { host: to.name })}
    </a>
  );
}

type CountdownProps = {
  readonly to: ShopReturn;
  readonly sessionId: string;
  /** The content of the page's address, which the button keeps. */
  readonly kept: Kept;
  /** Other actions, below the link and the button. */
  readonly children: ReactNode;
};

export async function ShopCountdown({ to, sessionId, kept, children }: CountdownProps) {
  const { t } = await getWords();
  const { kind, url, name: host } = to;
  const seconds = Array.from({ length: RETURN_SECONDS }, (_, at) => t('returnIn', { host, count: at + 1 }));
  return (
    <>
      <auto-return
        className="shop-return"
        data-return="counting"
        data-kind={kind}
        data-session={sessionId}
        data-sentences={JSON.stringify([t('returnNow', { host }), ...seconds])}
        data-stayed={t('returnStayed')}
      >
        <p className="shop-return-text" tabIndex={-1} role="timer">
          {seconds.at(-1)}
        </p>
        <div className="ways">
          <ShopLink to={to} kind="main" />
          <form method="get">
            {Object.entries({ [STAY]: '1', ...kept }).map(([name, value]) => (
              <input key={name} type="hidden" name={name} value={value} />
            ))}
            <button type="submit" className="leave">
              {t('returnStay')}
            </button>
          </form>
          {children}
        </div>
        <p className="only-read" role="status" />
      </auto-return>
      <noscript>
        <meta httpEquiv="refresh" content={`${RETURN_SECONDS};url=${url.href}`} />
      </noscript>
    </>
  );
}
