// Receipts of payments and of refunds as one printable sheet: the same rows in the same order on both.

import { Fragment, type ReactNode } from 'react';
import { Address } from '@/components/ui/address';
import { SupportLink } from '@/components/ui/support-link';
import { getWords, type Words } from '@/lib/i18n/translate';
import type { IssuedReceipt } from '@/lib/payments/receipts/number';
import { taxName, type Money, type ReceiptOrder } from '@/lib/payments/receipts/order';
import type { RefundReceipt } from '@/lib/refunds/receipt';
import type { PaymentReceipt } from '@/lib/payments/receipts/receipt';
import { Frame } from './frame';
import { MailReceipt } from './mail-receipt';
import { PrintButton } from './print-button';
import { Amount, Items, Row, Time } from './receipt-rows';
import { Transactions } from './receipt-transactions';

type PaymentProps = {
  readonly receipt: PaymentReceipt;
  /** The result of mailing it, from the query; null where mailing is not offered. */
  readonly mail: { readonly result: unknown } | null;
};

export async function PaymentReceiptPage({ receipt, mail }: PaymentProps) {
  const words = await getWords();
  const { t } = words;
  // Without items, the description says what was bought.
  const isDescribed = receipt.items.length > 0 && receipt.items.every(({ name }) => name !== receipt.description);
  const mailForm = mail && <MailReceipt sessionId={receipt.number} result={mail.result} />;
  return (
    <Sheet
      receipt={receipt}
      title={t('receiptOfPayment')}
      contact={receipt.contact !== null && <SupportLink contact={receipt.contact} reference={receipt.orderId} />}
      price={receipt.order.price}
      issued={receipt.issued}
      totals={receipt.paid}
      mailForm={mailForm}
    >
      <Row name={t('receiptOrderId')}>
        <bdi>{receipt.orderId}</bdi>
      </Row>
      {isDescribed && <Description text={receipt.description} words={words} />}
      <Items items={receipt.items} description={receipt.description} total={receipt.order.price} words={words} />
      <TaxRows receipt={receipt} words={words} />
      <RateRow order={receipt.order} words={words} />
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
      <Description text={receipt.description} words={words} />
      <Row name={t('receiptOrder')}>
        <Amount money={receipt.order.price} words={words} />
      </Row>
      <RateRow order={receipt.order} words={words} />
      <Row name={t('receiptTo')}>
        <Address text={receipt.destination} />
      </Row>
      <Row name={t('receiptTransactions')}>
        <Transactions
          transactions={[{ ...returned, network, hash, explorerUrl, addresses: null, at }]}
          words={words}
          isDated={false}
        />
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
  /** The ordered items; none on a refund's receipt, which is about the returned money. */
  readonly price?: Money;
  readonly totals: readonly Money[];
  /** The number in the store's series, and who sold. */
  readonly issued?: IssuedReceipt | null;
  /** The shop's contact. */
  readonly contact?: ReactNode;
  readonly mailForm?: ReactNode;
  readonly children: ReactNode;
};

async function Sheet(props: SheetProps) {
  const words = await getWords();
  const { t } = words;
  const { receipt, title, price, totals, issued = null, contact, mailForm, children } = props;
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
          {issued && (
            <Row name={t('receiptNumber')}>
              <code dir="ltr" translate="no" data-receipt-number>
                {issued.number}
              </code>
            </Row>
          )}
          {issued && (
            <Row name={t('receiptIssued')}>
              <Time at={issued.at} words={words} />
            </Row>
          )}
          <Row name={issued ? t('reference') : t('receiptNumber')}>
            <code dir="ltr" translate="no">
              {receipt.number}
            </code>
          </Row>
          <Row name={t('receiptDate')}>
            <Time at={receipt.at} words={words} />
          </Row>
          <Row name={t('receiptStore')}>
            <p>
              <bdi>{receipt.storeName}</bdi>
            </p>
            {website && (
              <p>
                <a href={website.href} rel="noreferrer" dir="ltr">
                  {website.host}
                </a>
              </p>
            )}
            {contact && <p>{contact}</p>}
          </Row>
          {issued && <SellerRows issued={issued} words={words} />}
          {children}
        </dl>
        {mailForm}
      </article>
    </Frame>
  );
}

function SellerRows({ issued, words: { t } }: { issued: IssuedReceipt; words: Words }) {
  return (
    <>
      <Row name={t('receiptSeller')}>
        {[issued.legalName, ...issued.legalAddress].map((line, at) => (
          <p key={at}>
            <bdi>{line}</bdi>
          </p>
        ))}
      </Row>
      {issued.vatNumber !== null && (
        <Row name={t('receiptVatNumber')}>
          <bdi dir="ltr" translate="no">
            {issued.vatNumber}
          </bdi>
        </Row>
      )}
    </>
  );
}

/** The items list tax and shipping too, so that it adds up; an order without items has shipping here. */
function TaxRows({ receipt: { tax, shipping, items }, words }: { receipt: PaymentReceipt; words: Words }) {
  const { t } = words;
  return (
    <>
      {tax && (
        <Row name={t('receiptNet')}>
          <Amount money={tax.net} words={words} />
        </Row>
      )}
      {tax && (
        <Row name={taxName(tax, words)}>
          <Amount money={tax.tax} words={words} />
        </Row>
      )}
      {shipping && items.length === 0 && (
        <Row name={t('shipping')}>
          <Amount money={shipping} words={words} />
        </Row>
      )}
    </>
  );
}

function Description({ text, words: { t } }: { text: string | null; words: Words }) {
  if (text === null) return null;
  return (
    <Row name={t('receiptDescription')}>
      <bdi>{text}</bdi>
    </Row>
  );
}

function RateRow({ order: { price, converted }, words: { t, rate } }: { order: ReceiptOrder; words: Words }) {
  if (converted === null) return null;
  return (
    <Row name={t('receiptRate')}>
      <bdi dir="ltr">{`1 ${price.currency} = ${rate(converted.rate)} ${converted.due.currency}`}</bdi>
    </Row>
  );
}

const isSame = (price: Money, totals: readonly Money[]): boolean =>
  totals.every(({ amount, currency }) => amount === price.amount && currency === price.currency);

/** A merchant's website is shown only if it is a valid address. */
function webAddress(text: string | null): URL | null {
  const url = text !== null && URL.canParse(text) ? new URL(text) : null;
  return url && (url.protocol === 'https:' || url.protocol === 'http:') ? url : null;
}
