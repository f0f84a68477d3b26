// Receipts of payments and of refunds as one printable sheet: the same rows in the same order on both.

import { Fragment, type ReactNode } from 'react';
import { Address } from '@/components/ui/address';
import { SupportLink } from '@/components/ui/support-link';
import { getWords, type Words } from '@/lib/i18n/translate';
import type { Money, ReceiptOrder } from '@/lib/payments/receipts/order';
import type { RefundReceipt } from '@/lib/refunds/receipt';
import type { PaymentReceipt, ReceiptTransaction } from '@/lib/payments/receipts/receipt';
import { Frame } from './frame';
import { MailReceipt } from './mail-receipt';
import { PrintButton } from './print-button';
import { Amount, Items, Row } from './receipt-rows';

type PaymentProps = {
  readonly receipt: PaymentReceipt;
  /** What became of mailing it, as the query says; null where it is not offered. */
  readonly mail: { readonly result: unknown } | null;
};

export async function PaymentReceiptPage({ receipt, mail }: PaymentProps) {
  const words = await getWords();
  const { t } = words;
  const mailForm = mail && <MailReceipt sessionId={receipt.number} result={mail.result} />;
  return (
    <Sheet
      receipt={receipt}
      title={t('receiptOfPayment')}
      price={receipt.order.price}
      totals={receipt.paid}
      mailForm={mailForm}
    >
      <Row name={t('receiptOrderId')}>
        <bdi>{receipt.orderId}</bdi>
      </Row>
      {receipt.contact !== null && (
        <Row name={t('contact')}>
          <SupportLink contact={receipt.contact} reference={receipt.orderId} />
        </Row>
      )}
      <Items items={receipt.items} words={words} />
      <OrderRows order={receipt.order} words={words} />
      {receipt.refunded.map((one) => (
        <Row key={one.currency} name={t('receiptRefunded')}>
          <Amount money={one} words={words} />
        </Row>
      ))}
      <Row name={t('receiptTransactions')}>
        <Transactions transactions={receipt.transactions} words={words} />
      </Row>
    </Sheet>
  );
}

export async function RefundReceiptPage({ receipt }: { receipt: RefundReceipt }) {
  const words = await getWords();
  const { t } = words;
  const { network, transactionHash: hash, explorerUrl, at, returned } = receipt;
  return (
    <Sheet receipt={receipt} title={t('receiptOfRefund')} totals={[returned]}>
      <OrderRows order={receipt.order} words={words} />
      <Row name={t('receiptTo')}>
        <Address text={receipt.destination} />
      </Row>
      <Row name={t('receiptTransactions')}>
        <Transactions transactions={[{ ...returned, network, hash, explorerUrl, addresses: null, at }]} words={words} />
      </Row>
    </Sheet>
  );
}

type Shared = Pick<
  PaymentReceipt & RefundReceipt,
  'number' | 'environment' | 'storeName' | 'logo' | 'brand' | 'website' | 'description' | 'at'
>;

type SheetProps = {
  readonly receipt: Shared;
  readonly title: string;
  /** What was ordered; none on the receipt of a refund, which is about what went back. */
  readonly price?: Money;
  readonly totals: readonly Money[];
  readonly mailForm?: ReactNode;
  readonly children: ReactNode;
};

async function Sheet(props: SheetProps) {
  const words = await getWords();
  const { t } = words;
  const { receipt, title, price, totals, mailForm, children } = props;
  const website = webAddress(receipt.website);
  const sent = totals.map((one, n) => (
    <Fragment key={one.currency}>
      {n > 0 && ' + '}
      <Amount money={one} words={words} />
    </Fragment>
  ));
  return (
    <Frame
      storeName={receipt.storeName}
      logo={receipt.logo}
      brand={receipt.brand}
      isTest={receipt.environment === 'test'}
      reference={null}
    >
      <article className="receipt" data-receipt={receipt.number}>
        <div className="receipt-head">
          <h1>{title}</h1>
          <PrintButton text={t('receiptPrint')} />
        </div>
        <p className="price">{price ? <Amount money={price} words={words} /> : sent}</p>
        {price && !isSame(price, totals) && <p className="receipt-paid">{sent}</p>}
        {receipt.environment === 'test' && <p className="notice">{t('receiptTest')}</p>}
        <dl>
          <Row name={t('receiptNumber')}>
            <code dir="ltr" translate="no">
              {receipt.number}
            </code>
          </Row>
          <Row name={t('receiptDate')}>
            <Time at={receipt.at} words={words} />
          </Row>
          <Row name={t('receiptStore')}>
            <bdi>{receipt.storeName}</bdi>
          </Row>
          {website && (
            <Row name={t('receiptWebsite')}>
              <a href={website.href} rel="noreferrer" dir="ltr">
                {website.host}
              </a>
            </Row>
          )}
          {receipt.description !== null && (
            <Row name={t('receiptDescription')}>
              <bdi>{receipt.description}</bdi>
            </Row>
          )}
          {children}
        </dl>
        {mailForm}
      </article>
    </Frame>
  );
}

function OrderRows({ order: { price, converted }, words }: { order: ReceiptOrder; words: Words }) {
  const { t, rate } = words;
  return (
    <>
      <Row name={t('receiptOrder')}>
        <Amount money={price} words={words} />
      </Row>
      {converted && (
        <Row name={t('receiptRate')}>
          <bdi dir="ltr">{`1 ${price.currency} = ${rate(converted.rate)} ${converted.due.currency}`}</bdi>
        </Row>
      )}
    </>
  );
}

function Transactions({ transactions, words }: { transactions: readonly ReceiptTransaction[]; words: Words }) {
  return (
    <ul>
      {transactions.map((one) => (
        <li key={`${one.network} ${one.hash}`}>
          <p>
            <Amount money={one} words={words} /> · {words.network(one.network).name}
          </p>
          <p>
            <Time at={one.at} words={words} />
          </p>
          <Hash transaction={one} label={words.t('viewTransaction')} />
          {one.addresses && <Addresses addresses={one.addresses} words={words} />}
        </li>
      ))}
    </ul>
  );
}

function Addresses({ addresses, words: { t } }: { addresses: { from: string; to: string }; words: Words }) {
  return (
    <dl className="receipt-addresses">
      <dt>{t('receiptFrom')}</dt>
      <dd>
        <Address text={addresses.from} />
      </dd>
      <dt>{t('receiptTo')}</dt>
      <dd>
        <Address text={addresses.to} />
      </dd>
    </dl>
  );
}

/** Whole, since paper has no links. */
function Hash({ transaction: { hash, explorerUrl }, label }: { transaction: ReceiptTransaction; label: string }) {
  return (
    <p>
      <code dir="ltr" translate="no">
        {hash}
      </code>{' '}
      {explorerUrl !== null && (
        <a href={explorerUrl} target="_blank" rel="noopener noreferrer">
          {label}
        </a>
      )}
    </p>
  );
}

const isSame = (price: Money, totals: readonly Money[]): boolean =>
  totals.every(({ amount, currency }) => amount === price.amount && currency === price.currency);

function Time({ at, words }: { at: number; words: Words }) {
  return <bdi>{words.time(at)}</bdi>;
}

/** What a merchant wrote as a website is shown only when it is one. */
function webAddress(text: string | null): URL | null {
  const url = text !== null && URL.canParse(text) ? new URL(text) : null;
  return url && (url.protocol === 'https:' || url.protocol === 'http:') ? url : null;
}
