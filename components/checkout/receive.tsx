// Where and how much to pay with the chosen method: amount, address, QR code, wallet link and the wallets of this
// browser. Warnings prevent losses.

import { QRCodeSVG } from 'qrcode.react';
import type { ReactNode } from 'react';
import { Address } from '@/components/ui/address';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { PayWays } from '@/lib/payments/checkout/wallets/pay-ways';
import { getWords } from '@/lib/i18n/translate';
import type { CheckoutFacts } from '@/lib/payments/checkout/facts';
import type { PayMethod } from '@/lib/payments/checkout/view';
import { CodeChoice, openedWith, shownCode, standardOf, walletApps } from './code-choice';
import { CopyText } from './copy-text';
import './elements';
import { Mark } from './mark';
import { RateLine } from './rate-line';
import { walletTexts } from './wallet-texts';

type Props = {
  readonly facts: CheckoutFacts;
  readonly method: PayMethod;
  readonly methods: readonly PayMethod[];
  readonly specs: readonly NetworkSpec[];
  readonly ways: PayWays;
  /** The wallet whose QR code the page's address requests. */
  readonly wallet: string | undefined;
  /** Whether a part of the price has arrived. */
  readonly isPart: boolean;
  /** The choice of the method, next to what it changes. */
  readonly choice: ReactNode;
  /** Another way to pay, below the wallets. */
  readonly children?: ReactNode;
};

/** The quiet zone around a code, in modules; scanners need it. */
const QUIET_ZONE = 3;

export async function Receive({ facts, method, methods, specs, ways, wallet, isPart, choice, children }: Props) {
  const every = await getWords();
  const { t, network } = every;
  const { address, currency } = method;
  const words = { copy: t('copy'), copied: t('copied'), failed: t('copyFailed') };
  const { name, standard } = network(method.network);
  const code = shownCode({ method, links: ways.links, wallet }, every);
  const open = openedWith(method, code, every);
  const payment = ways.browser;
  return (
    <section className="receive">
      <div className="send">
        <p className="label">{t(isPart ? 'sendRest' : 'sendExactly')}</p>
        <p className="amount" dir="ltr">
          <span className="amount-figure">{method.amount}</span> <span className="amount-currency">{currency}</span>
        </p>
        <CopyText text={method.amount} words={{ ...words, label: t('copyAmount') }} />
        <RateLine facts={facts} token={currency} amount={method.amount} />
      </div>
      {choice}
      <div className="send send-to">
        <p className="label">{t('toAddress')}</p>
        <Address text={address} />
        <CopyText text={address} proof={t('compareAddress')} words={{ ...words, label: t('copyAddress') }} />
      </div>
      <p className="warn-send">
        <Mark kind="decision" />
        {t('warnExact', { currency, network: name, standard })}
      </p>
      <div className="receive-code" id="code">
        <Code text={code.text} label={code.label} name={code.id === null ? 'address' : 'wallet'} />
      </div>
      <div className="receive-open">
        {standardOf(method) === null ? (
          <div className="open-wallets" role="group" aria-label={t('openWallet')}>
            {code.id === null && <p className="label">{t('openWallet')}</p>}
            <div data-copies={address} data-failed={words.failed}>
              <div className="open-wallets-apps">
                {walletApps(ways.links, code, every).map(({ href, text, label, copied }) => (
                  <a
                    key={href}
                    className="button open-wallet"
                    href={href}
                    rel="noreferrer"
                    aria-label={label}
                    data-copied={copied}
                  >
                    <bdi>{text}</bdi>
                  </a>
                ))}
              </div>
              <p className="open-wallets-said" role="status" />
            </div>
          </div>
        ) : (
          <a className="button open-wallet" href={open.href} rel="noreferrer">
            {open.text}
          </a>
        )}
        {payment && (
          <browser-wallets
            data-payment={JSON.stringify(payment)}
            data-words={JSON.stringify(walletTexts(every, { payment, method, methods, specs }))}
          />
        )}
        {children}
      </div>
      <p className="hint warn-fees">{t('warnFees', { amount: method.amount, currency })}</p>
      <CodeChoice method={method} links={ways.links} shown={code.id} hint={code.hint} />
    </section>
  );
}

/** Black on white in every theme; scanners fail otherwise. */
function Code({ text, label, name }: { text: string; label: string; name: string }) {
  return (
    <div className="code" data-code={name}>
      <QRCodeSVG value={text} level="M" marginSize={QUIET_ZONE} size={192} title={label} />
    </div>
  );
}
