// Where and how much to pay by the chosen method: amount, address, QR codes, wallet link and the warnings that save money.

import { QRCodeSVG } from 'qrcode.react';
import { CopyButton } from '@/components/ui/copy-button';
import { getWords } from '@/lib/i18n/translate';
import type { PayMethod } from '@/lib/sessions/checkout-view';
import { Address } from './address';
import { networkNames } from './names';

/** Modules of white around a code, as scanners need them. */
const QUIET_ZONE = 3;
const PROOF_START = 6;
const PROOF_END = 6;

export async function Receive({ method }: { method: PayMethod }) {
  const { t, amount } = await getWords();
  const { address, currency } = method;
  const words = { copied: t('copied'), failed: t('copyFailed') };
  const { name, standard } = networkNames(method.network);
  const proof = t('compareEnds', { start: address.slice(0, PROOF_START), end: address.slice(-PROOF_END) });
  return (
    <section className="receive">
      <div className="receive-text">
        <p className="label">{t('sendExactly')}</p>
        <div className="row">
          <p className="amount" dir="ltr">
            <span className="amount-figure">{method.amount}</span> <span className="amount-currency">{currency}</span>
          </p>
          <CopyButton text={method.amount} words={{ copy: t('copyAmount'), ...words }} />
        </div>
        <p className="label">{t('toAddress')}</p>
        <div className="row">
          <Address text={address} />
          <CopyButton text={address} proof={proof} words={{ copy: t('copyAddress'), ...words }} />
        </div>
        <ul className="warnings">
          <li>{t('warnExact', { currency, network: t(name), standard: t(standard) })}</li>
          <li>{t('warnFees', { amount: amount(method.amount), currency })}</li>
        </ul>
      </div>
      <div className="receive-code">
        <Code text={address} label={t('qrLabel')} name="address" />
        <p className="hint">{t('qrHint')}</p>
        <WalletLink method={method} />
      </div>
    </section>
  );
}

async function WalletLink({ method: { address, payment_uri } }: { method: PayMethod }) {
  const { t } = await getWords();
  // A network without a payment link standard has the bare address here, which no wallet can be opened with.
  if (payment_uri === address) return null;
  return (
    <>
      <a className="button" href={payment_uri}>
        {t('openWallet')}
      </a>
      <details className="wallet-code">
        <summary>{t('walletQr')}</summary>
        <Code text={payment_uri} label={t('walletQrLabel')} name="wallet" />
        <p className="hint">{t('walletQrHint')}</p>
      </details>
    </>
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
