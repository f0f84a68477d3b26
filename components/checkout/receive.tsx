// Where and how much to pay by the chosen method: amount, address, QR codes, wallet link and the warnings that save money.

import { QRCodeSVG } from 'qrcode.react';
import { Address } from '@/components/ui/address';
import { CopyButton } from '@/components/ui/copy-button';
import { getWords } from '@/lib/i18n/translate';
import type { PayMethod } from '@/lib/sessions/checkout-view';

/** Modules of white around a code, as scanners need them. */
const QUIET_ZONE = 3;
const PROOF_START = 6;
const PROOF_END = 6;

export async function Receive({ method }: { method: PayMethod }) {
  const { t, amount, network } = await getWords();
  const { address, currency } = method;
  const words = { copy: t('copy'), copied: t('copied'), failed: t('copyFailed') };
  const { name, standard } = network(method.network);
  const proof = t('compareEnds', { start: address.slice(0, PROOF_START), end: address.slice(-PROOF_END) });
  return (
    <section className="receive">
      <div className="receive-text">
        <p className="label">{t('sendExactly')}</p>
        <div className="row">
          <p className="amount" dir="ltr">
            <span className="amount-figure">{method.amount}</span> <span className="amount-currency">{currency}</span>
          </p>
          <CopyButton text={method.amount} words={{ ...words, label: t('copyAmount') }} />
        </div>
        <p className="label">{t('toAddress')}</p>
        <div className="row">
          <Address text={address} />
          <CopyButton text={address} proof={proof} words={{ ...words, label: t('copyAddress') }} />
        </div>
        <WalletLink method={method} />
        <ul className="warnings">
          <li>{t('warnExact', { currency, network: name, standard })}</li>
          <li>{t('warnFees', { amount: amount(method.amount), currency })}</li>
        </ul>
      </div>
      <div className="receive-code">
        <Code text={address} label={t('qrLabel')} name="address" />
        <p className="hint">{t('qrHint')}</p>
        <WalletCode method={method} />
      </div>
    </section>
  );
}

// A network without a payment link standard has the bare address as its payment_uri, which opens no wallet.

async function WalletLink({ method: { address, payment_uri } }: { method: PayMethod }) {
  const { t } = await getWords();
  if (payment_uri === address) return null;
  return (
    <a className="button open-wallet" href={payment_uri}>
      {t('openWallet')}
    </a>
  );
}

async function WalletCode({ method: { address, payment_uri } }: { method: PayMethod }) {
  const { t } = await getWords();
  if (payment_uri === address) return null;
  return (
    <details className="wallet-code">
      <summary>{t('walletQr')}</summary>
      <Code text={payment_uri} label={t('walletQrLabel')} name="wallet" />
      <p className="hint">{t('walletQrHint')}</p>
    </details>
  );
}

/** Black on white in every theme, or scanners fail. */
function Code({ text, label, name }: { text: string; label: string; name: string }) {
  return (
    <div className="code" data-code={name}>
      <QRCodeSVG value={text} level="M" marginSize={QUIET_ZONE} size={192} title={label} />
    </div>
  );
}
