// The page of a payment link: the shop, the purpose, the amount, and one button. The server renders it as a plain form,
// so it works without scripts. If nothing can be paid, it says so and shows the shop's contact.

import { LanguageSwitch } from '@/components/ui/language-switch';
import { NetworkMark, TokenMark } from '@/components/ui/marks';
import { StoreMark } from '@/components/ui/store-mark';
import { SupportLink } from '@/components/ui/support-link';
import { getWords, type Words } from '@/lib/i18n/translate';
import { amountText } from '@/lib/payments/links/amount';
import type { PaymentLink } from '@/lib/payments/links/link';
import type { ShownRefusal } from '@/lib/payments/links/open';
import type { LinkState, ShownLink } from '@/lib/payments/links/page';
import type { Offered } from '@/lib/payments/sessions/create/offered';
import { AmountField } from './amount-field';

type Props = {
  readonly shown: ShownLink;
  /** The form's key, so that repeated requests create one session. */
  readonly seal: string;
  /** The typed text that was refused; null before the form was sent. */
  readonly typed: string | null;
  /** Why a valid amount created no payment. */
  readonly refused: ShownRefusal | null;
  /** Whether test money can make the payment at once. */
  readonly hasTestMoney: boolean;
  /** The networks and tokens that the payment will offer. */
  readonly offered: Offered;
};

export async function LinkPage({ shown, seal, typed, refused, hasTestMoney, offered }: Props) {
  const words = await getWords();
  const { t } = words;
  const { link, state, storeName, supportContact } = shown;
  return (
    <div className="refund-page link-page">
      <header>
        <p className="store">
          <StoreMark name={storeName} logo={shown.logo} />
          <bdi>{storeName}</bdi>
          {link.environment === 'test' && (
            <span className="badge" title={t('testExplained')}>
              {t('testBadge')}
            </span>
          )}
        </p>
      </header>
      <main className="panel" data-link={state}>
        <div className="link-what">
          <h1>
            <bdi>{link.title}</bdi>
          </h1>
          {link.description !== null && (
            <p className="link-text">
              <bdi>{link.description}</bdi>
            </p>
          )}
        </div>
        {state === 'open' ? (
          <Form {...{ link, storeName, seal, typed, refused, hasTestMoney, offered, words }} />
        ) : (
          <Closed state={state} words={words} />
        )}
      </main>
      <footer className="foot">
        {supportContact !== null && (
          <p>
            <span>{t('contact')}</span> <SupportLink contact={supportContact} reference={link.title} />
          </p>
        )}
        <LanguageSwitch {...(typed === null ? {} : { query: { amount: typed } })} />
      </footer>
    </div>
  );
}

type FormProps = Omit<Props, 'shown'> & {
  readonly link: PaymentLink;
  readonly storeName: string;
  readonly words: Words;
};

function Form({ link, storeName, seal, typed, refused, hasTestMoney, offered, words }: FormProps) {
  const { t, amount } = words;
  return (
    <form method="post" action={`/link/${link.id}/open`} className="link-form">
      <input type="hidden" name="name" value={seal} />
      <input type="hidden" name="lang" value={words.locale} />
      {refused !== null && (
        <div className="notice" role="alert">
          {REFUSED[refused].map((key) => (
            <p key={key}>{t(key)}</p>
          ))}
        </div>
      )}
      {link.amount === null ? (
        <AmountField link={link} typed={typed} isRefused={refused !== null} words={words} />
      ) : (
        <p>
          <bdi className="price">{`${amount(amountText(link.amount, link.currency))} ${link.currency}`}</bdi>
        </p>
      )}
      <button className="button" type="submit">
        <span>{t.rich('payStore', { store: () => <bdi>{storeName}</bdi> })}</span>
      </button>
      <Methods offered={offered} words={words} />
      {hasTestMoney && (
        <div className="test-money">
          <button className="button" type="submit" name="test_money" value="yes">
            {t('payTestMoney')}
          </button>
          <p className="hint">{t('testExplained')}</p>
        </div>
      )}
    </form>
  );
}

/** What the customer needs to have: they learn it before they open a payment. */
function Methods({ offered: { networks, tokens }, words: { t, network } }: { offered: Offered; words: Words }) {
  if (networks.length === 0) return null;
  return (
    <dl className="link-methods">
      <div>
        <dt className="only-read">{t('chooseToken')}</dt>
        {tokens.map((token) => (
          <dd key={token}>
            <TokenMark currency={token} />
            {token}
          </dd>
        ))}
      </div>
      <div>
        <dt className="only-read">{t('chooseNetwork')}</dt>
        {networks.map((one) => (
          <dd key={one}>
            <NetworkMark network={one} />
            <bdi>{network(one).name}</bdi>
          </dd>
        ))}
      </div>
    </dl>
  );
}

function Closed({ state, words: { t } }: { state: Exclude<LinkState, 'open'>; words: Words }) {
  return (
    <section className="link-closed">
      <p className="headline">{t(CLOSED[state])}</p>
      <p className="hint">{t('linkAskShop')}</p>
    </section>
  );
}

const REFUSED = {
  limit: ['linkTooMuch'],
  shop: ['linkPaused', 'linkAskShop'],
  busy: ['statusUnavailableHint'],
} as const satisfies Record<ShownRefusal, readonly string[]>;

const CLOSED = { off: 'linkOff', used: 'linkUsed', paused: 'linkPaused' } as const satisfies Record<
  Exclude<LinkState, 'open'>,
  string
>;
