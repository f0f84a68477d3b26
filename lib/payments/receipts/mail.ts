// Mails the receipt of a payment, as its page offers to the browser that the customer paid from. The text is the receipt in the
// customer's language and its link. Free text of the merchant is left out, so that this mail cannot carry spam to strangers.

import type { Context } from '@/lib/platform/context';
import { transaction } from '@/lib/platform/database/db';
import type { Words } from '@/lib/i18n/translate';
import { queueCustomerMail } from '@/lib/merchants/mail/queue';
import { isOwnSandbox } from '@/lib/platform/config/own-sandbox';
import { looksLikeLink } from '@/lib/platform/link-text';
import { openRateLimit } from '@/lib/platform/rate-limit/token-bucket';
import { browserOf, IS_PAYER_SQL } from '@/lib/refunds/destination/payer-browser';
import { taxName } from '@/lib/payments/receipts/order';
import type { IssuedReceipt } from '@/lib/payments/receipts/number';
import { readPaymentReceipt, type PaymentReceipt } from '@/lib/payments/receipts/receipt';

/** Enough for a typing error or two and another address. */
const MAX_OF_A_RECEIPT = 3;

/** Receipts to one address over all payments: three at once, then one an hour. */
const toOneAddress = openRateLimit({ rate: 1 / 3600, burst: 3 });
/** Test payments cost nothing, so those of one store are bounded together. */
const ofOneTestStore = openRateLimit({ rate: 1 / 600, burst: 20 });

export type Browser = {
  readonly sessionId: string;
  /** The browser's cookie `payer`. */
  readonly payerToken: string | undefined;
};

/** Whether the receipt's page offers the mail to this browser. */
export const isReceiptMailed = async (context: Pick<Context, 'pool' | 'config'>, browser: Browser): Promise<boolean> =>
  (await storeOf(context, browser)) !== null;

/** The store of the session that was paid from this browser; null for every other browser, and when no mail server is configured. */
async function storeOf(
  { pool, config }: Pick<Context, 'pool' | 'config'>,
  { sessionId, payerToken }: Browser,
): Promise<string | null> {
  if (payerToken === undefined || (config.SMTP_URL === undefined && !isOwnSandbox(config))) return null;
  const { rows } = await pool.query<{ store_id: string }>({
    name: 'receipt-mail-offered',
    text: `SELECT s.store_id FROM payer_browsers b JOIN sessions s ON s.id = b.session_id
           WHERE b.session_id = $1 AND ${IS_PAYER_SQL}`,
    values: [sessionId, browserOf(payerToken)],
  });
  return rows[0]?.store_id ?? null;
}

/** `elsewhere`: not the browser that the customer paid from, or no receipt. `used_up`: already sent three times, or too many to the address. */
export type MailedReceipt = 'sent' | 'used_up' | 'elsewhere';

/** Queues the receipt to `to`, a checked address, in the language of `words`. */
export async function mailReceipt(
  context: Context,
  { sessionId, payerToken, to }: Browser & { readonly to: string },
  words: Words,
): Promise<MailedReceipt> {
  const storeId = await storeOf(context, { sessionId, payerToken });
  const receipt = storeId === null ? null : await readPaymentReceipt(context, sessionId);
  if (storeId === null || !receipt) return 'elsewhere';
  const now = context.clock.now();
  if (toOneAddress(to, now.getTime()) > 0) return 'used_up';
  if (receipt.environment === 'test' && ofOneTestStore(storeId, now.getTime()) > 0) return 'used_up';
  const { subject, body } = receiptText(receipt, `${context.config.PUBLIC_URL}/pay/${sessionId}/receipt`, words);
  return transaction(context.pool, async (tx) => {
    const { rowCount } = await tx.query({
      name: 'receipt-mail-take',
      text: `UPDATE payer_browsers b SET receipt_mails = b.receipt_mails + 1
             WHERE b.session_id = $1 AND ${IS_PAYER_SQL} AND b.receipt_mails < $3`,
      values: [sessionId, browserOf(payerToken), MAX_OF_A_RECEIPT],
    });
    if (rowCount !== 1) return 'used_up';
    await queueCustomerMail(tx, context, { to, subject, body, now });
    return 'sent';
  });
}

/** Plain text. Anyone can open a test store, so its name is left out too. */
export function receiptText(receipt: PaymentReceipt, link: string, words: Words) {
  const { t, amount, time, network } = words;
  const { issued, tax, shipping } = receipt;
  const isLive = receipt.environment === 'live';
  const money = (one: { amount: string; currency: string }): string => `${amount(one.amount)} ${one.currency}`;
  const { price, converted } = receipt.order;
  const rows: readonly (readonly [name: string, value: string])[] = [
    ...(isLive ? [[t('receiptStore'), receipt.storeName] as const] : []),
    ...(isLive && issued ? sellerRows(issued, t) : []),
    [t('receiptOrder'), money(price)],
    ...(tax
      ? ([
          [t('receiptNet'), money(tax.net)],
          [taxName(tax, words), money(tax.tax)],
        ] as const)
      : []),
    ...(shipping ? [[t('shipping'), money(shipping)] as const] : []),
    ...(converted
      ? [[t('receiptRate'), `1 ${price.currency} = ${amount(converted.rate)} ${converted.due.currency}`] as const]
      : []),
    ...receipt.refunded.map((one) => [t('receiptRefunded'), money(one)] as const),
    [t('receiptDate'), time(receipt.at)],
    ...(issued
      ? ([
          [t('receiptIssued'), time(issued.at)],
          [t('receiptNumber'), issued.number],
        ] as const)
      : []),
    [issued ? t('reference') : t('receiptNumber'), receipt.number],
  ];
  const transactions = receipt.transactions.map((one) =>
    [
      `${money(one)} · ${network(one.network).name}`,
      one.hash,
      ...(one.explorerUrl === null ? [] : [one.explorerUrl]),
    ].join('\n'),
  );
  const parts = [
    `${t('receiptOfPayment')}: ${receipt.paid.map(money).join(' + ')}`,
    ...(isLive ? [] : [t('receiptTest')]),
    rows.map(([name, value]) => `${name}: ${value}`).join('\n'),
    [`${t('receiptTransactions')}:`, ...transactions].join('\n'),
    link,
    t('receiptMailWhy'),
  ];
  const subject = isLive ? t('titleReceipt', { store: receipt.storeName }) : t('receiptOfPayment');
  return { subject, body: `${parts.join('\n\n')}\n` };
}

/** Lines that a mail program would turn into a link are on the receipt's page only. */
const sellerRows = (
  { legalName, legalAddress, vatNumber }: IssuedReceipt,
  t: Words['t'],
): (readonly [name: string, value: string])[] => [
  [t('receiptSeller'), [legalName, ...legalAddress].filter((line) => !looksLikeLink(line)).join(', ')],
  ...(vatNumber === null ? [] : [[t('receiptVatNumber'), vatNumber] as const]),
];
