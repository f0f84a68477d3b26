// The hosted page. The server renders it completely from one view, so it can be paid before any script runs.

import type { ReactNode } from 'react';
import type { NetworkSpec } from '@/lib/networks/networks';
import { feesOf, type PayWays } from '@/lib/payments/checkout/wallets/pay-ways';
import { getWords } from '@/lib/i18n/translate';
import { extraCents } from '@/lib/payments/checkout/refunds';
import { stageOf } from '@/lib/payments/checkout/stage';
import { publicStatus, type CheckoutView, type PayMethod } from '@/lib/payments/checkout/view';
import { shopReturn } from '@/lib/payments/checkout/shop-return';
import { LanguageSwitch } from '@/components/ui/language-switch';
import { SupportLink } from '@/components/ui/support-link';
import { Choice } from './choice';
import { Finder, type FinderQuery } from './finder';
import { Live } from './live';
import { Notices } from './notices';
import { isUntouched, misplaced, Outcome } from './outcome';
import { Payments } from './payments';
import { Receive } from './receive';
import { Reference } from './reference';
import { ShopCountdown, ShopLink } from './shop-return';
import { Order, StoreHead } from './summary';
import { TestMoney, type TestMoneyResult } from './test-money';

type Props = {
  readonly view: CheckoutView;
  /** The selected payment method; null when none is offered. */
  readonly chosen: { readonly method: PayMethod; readonly isMade: boolean; readonly ways: PayWays } | null;
  /** The rows of the networks that can be paid on now. */
  readonly specs: readonly NetworkSpec[];
  /** Seconds between blocks per network, where known. */
  readonly blockSeconds: ReadonlyMap<string, number>;
  /** The choices in the page's address. The page's links keep them. */
  readonly kept: {
    readonly method?: string;
    readonly wallet?: string;
    readonly choosing?: string;
    readonly stay?: string;
  };
  /** Whether the page stays open when nothing is left to do on it. */
  readonly isStaying: boolean;
  /** The customer's payment finder query; null without one. */
  readonly finderQuery: FinderQuery | null;
  /** The result of "Pay with test money", from the address; null where the button is not available. */
  readonly testMoney: TestMoneyResult | null;
  /** The status of the order's refunds, shown below its payments. */
  readonly children?: ReactNode;
};

/** Without scripts, the page reloads after this many seconds while something can still change. */
const RELOAD_SECONDS = 20;
/** The same interval while the customer waits for the next step. */
const SOON_RELOAD_SECONDS = 4;
/** The countdown is emphasized below this time; emphasizing it earlier would only rush people. */
const SOON_SECONDS = 120;

export async function Checkout({
  view,
  chosen,
  specs,
  blockSeconds,
  kept,
  isStaying,
  finderQuery,
  testMoney,
  children,
}: Props) {
  const { t, time } = await getWords();
  const { facts, methods, lagging } = view;
  const stage = stageOf(view);
  const query = finderQuery ? { ...kept, transaction: finderQuery.text } : kept;
  const back = shopReturn(view, stage);
  const isLeaving = back !== null && back.isAutomatic && !isStaying && finderQuery === null;
  const isTold = misplaced(view, stage) !== null;
  const isOver = facts.status !== 'pending' || stage === 'checking';
  // A transfer that is already visible needs no finder.
  const isFinderShown = finderQuery !== null || !(isTold || stage === 'confirming' || stage === 'paid');
  const contact = facts.branding?.support_contact ?? null;
  // Money waits for a decision that only the shop can make.
  const isForShop = isTold || stage === 'failed';
  const isReferenceNeeded = isForShop || extraCents(facts) > 0n;
  const receipt = stage === 'paid' && (
    <a className="button-quiet" href={`/pay/${facts.id}/receipt`}>
      {t('receipt')}
    </a>
  );
  const contactShop = isReferenceNeeded && contact !== null && (
    <SupportLink contact={contact} reference={facts.id} className={isForShop ? 'button' : 'button-quiet'}>
      {t('contactShop')}
    </SupportLink>
  );
  const payBefore = t('payBefore', { time: time(facts.expires_at) });
  const receive = stage === 'pay' && chosen && (
    <Receive
      facts={facts}
      method={chosen.method}
      methods={methods}
      specs={specs}
      ways={chosen.ways}
      wallet={kept.wallet}
      isPart={!isUntouched(view)}
      choice={
        <Choice
          methods={methods}
          chosen={chosen.method}
          isMade={chosen.isMade}
          specs={specs}
          lagging={lagging}
          fees={feesOf(
            view,
            specs.map(({ network }) => network),
          )}
          currency={facts.currency}
        />
      }
    >
      {testMoney && <TestMoney sessionId={facts.id} method={chosen.method} result={testMoney} />}
    </Receive>
  );
  return (
    <div className="checkout">
      <main className={stage === 'pay' && isUntouched(view) && !isTold ? 'checkout-main awaiting' : 'checkout-main'}>
        <StoreHead facts={facts} />
        <div className="panel-head">
          <Outcome view={view} stage={stage} />
          <Live
            address={`/pay/${facts.id}/status`}
            drawn={publicStatus(view)}
            counts={stage === 'pay' && !isTold}
            words={{
              timeLeft: t('timeLeft'),
              nearlyUp: t('timeNearlyUp', { count: SOON_SECONDS / 60 }),
              offline: t('offline'),
            }}
            soonSeconds={SOON_SECONDS}
          />
        </div>
        <div className="panel">
          {stage === 'pay' && !isTold && <p className="hint pay-before">{payBefore}</p>}
          <Notices view={view} isTold={isTold} chosen={stage === 'pay' && chosen ? chosen.method : null} />
          {isReferenceNeeded && <Reference sessionId={facts.id} isNeeded />}
          {isLeaving && (
            <ShopCountdown to={back} sessionId={facts.id} kept={kept}>
              {receipt}
            </ShopCountdown>
          )}
          {!isLeaving && (isOver || contactShop) && (
            <div className="ways">
              {isForShop && contactShop}
              {back && isOver && <ShopLink to={back} kind={isForShop ? 'quiet' : 'main'} />}
              {!isForShop && contactShop}
              {receipt}
            </div>
          )}
          {receive &&
            (isTold ? (
              <details className="fold" open={kept.method !== undefined}>
                <summary>{t('payAnyway')}</summary>
                <p className="hint">{payBefore}</p>
                {receive}
              </details>
            ) : (
              receive
            ))}
          <Payments seen={view.seen} blockSeconds={blockSeconds} />
          {children}
          {isFinderShown && (
            <Finder
              sessionId={facts.id}
              kept={{ method: kept.method, choosing: kept.choosing }}
              finderQuery={finderQuery}
            />
          )}
          {back && !isOver && <ShopLink to={back} kind="cancel" />}
          {facts.status === 'pending' && (
            <ReloadWithoutScripts isSoon={testMoney === 'sent' || stage === 'confirming'} />
          )}
        </div>
        <Order facts={facts} />
      </main>
      <footer className="foot">
        {!isReferenceNeeded && <Reference sessionId={facts.id} isNeeded={false} />}
        {contact !== null && (
          <p>
            <span>{t('contact')}</span> <SupportLink contact={contact} reference={facts.id} />
          </p>
        )}
        <LanguageSwitch query={query} />
      </footer>
    </div>
  );
}

async function ReloadWithoutScripts({ isSoon }: { isSoon: boolean }) {
  const { t } = await getWords();
  return (
    <noscript>
      <meta httpEquiv="refresh" content={String(isSoon ? SOON_RELOAD_SECONDS : RELOAD_SECONDS)} />
      {!isSoon && <p className="hint">{t('refreshesItself')}</p>}
    </noscript>
  );
}
