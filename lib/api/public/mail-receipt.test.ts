// The receipt of a payment by mail: for the browser that the customer paid from, a few times, and without any text that a
// stranger could write.

import { createTranslator } from 'next-intl';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { sendMails } from '@/lib/merchants/mail/send';
import { mailBody } from '@/lib/merchants/mail/queue';
import { wordsOf, type Words } from '@/lib/i18n/translate';
import { isReceiptMailed, receiptText } from '@/lib/payments/receipts/mail';
import { readPaymentReceipt } from '@/lib/payments/receipts/receipt';
import { recordBrowser } from '@/lib/refunds/destination/payer-browser';
import { readPayPage } from '@/lib/payments/checkout/pay-page';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeChain, makeStore, TestClock, testConfig, testContext } from '@/testing/fixtures';
import { formRequest } from '@/testing/page-form';
import { EXPIRES, openSettledSessions } from '@/testing/payments/settled-session';
import de from '@/messages/de.json';
import en from '@/messages/en.json';
import { answerMailReceipt } from './mail-receipt';
import { openServices, type Services } from '@/lib/api/services';

const PAYER = '0x9858effd232b4033e47d90003d41ec34ecaeda94';
const SMTP = { SMTP_URL: 'smtp://127.0.0.1:2525', LIMIT_LOOPBACK: 'off' };

let database: TestDatabase;
let clock: TestClock;
let services: Services;
let settled: ReturnType<typeof openSettledSessions>;
let storeId: string;

const openWith = (settings: Record<string, string>): Services =>
  openServices(testContext(database, clock, testConfig(settings)), () => []);
const english = wordsIn('en', en);

function wordsIn(locale: 'en' | 'de', messages: typeof en): Words {
  return wordsOf(locale, createTranslator({ locale, messages, timeZone: 'UTC' }) as never);
}

beforeAll(async () => {
  database = await openTestDatabase();
  clock = new TestClock(EXPIRES - 200);
  services = openWith(SMTP);
  settled = openSettledSessions(database, clock, { ethereum: await makeChain(database, 'ethereum', EXPIRES - 100) });
  ({ storeId } = await makeStore(database, services.config));
  await database.pool.query("UPDATE stores SET name = 'Visit evil.example' WHERE id = $1", [storeId]);
});
afterAll(() => database.close());
beforeEach(async () => {
  await database.pool.query('DELETE FROM mails');
  // The limits of one address and of the tests' stores refill with time.
  clock.advance(86_400);
});

/** A paid session and the cookie of the browser that it was paid from. */
async function pay(): Promise<{ id: string; token: string }> {
  const id = await settled.make(storeId);
  const page = await readPayPage(database.pool, id);
  const token = await recordBrowser(database.pool, id, { page, token: undefined, isSignedIn: false });
  await settled.transfer(id, { cents: 1250, payer: PAYER });
  await settled.settle(id);
  return { id, token: token ?? 'none' };
}

type Press = { readonly id: string; readonly token?: string | undefined; readonly email?: string };

async function press({ id, token, email = 'ana@example.com' }: Press, headers = {}, words = english, by = services) {
  const request = formRequest(`/pay/${id}/receipt/mail`, { email }, headers);
  const { status, headers: answered } = await answerMailReceipt(by, {
    sessionId: id,
    request,
    payerToken: token,
    words,
  });
  return status === 303
    ? answered?.Location?.replace(`/pay/${id}/receipt?mail=`, '').replace('#receipt-mail', '')
    : status;
}

async function mails() {
  const { rows } = await database.pool.query<{ recipient: string; subject: string; body: string }>(
    'SELECT recipient, subject, body FROM mails ORDER BY id',
  );
  return rows.map((row) => ({ recipient: row.recipient, subject: row.subject, text: mailBody(services, row) }));
}

test('goes to the typed address, with the amount, the transactions and the link, in the page’s language', async () => {
  const paid = await pay();
  expect(await press({ ...paid, email: ' Ana@Example.com ' })).toBe('sent');
  expect(await press(paid, {}, wordsIn('de', de))).toBe('sent');
  const [first, second] = await mails();
  expect(first).toMatchObject({ recipient: 'ana@example.com', subject: 'Receipt of payment' });
  expect(first?.text).toContain('Receipt of payment: 12.50 USD');
  expect(first?.text).toContain(`Receipt number: ${paid.id}`);
  expect(first?.text).toMatch(/Transactions:\n12.50 USDT · Ethereum\n0x/);
  expect(first?.text).toContain(`/pay/${paid.id}/receipt\n`);
  expect(second?.text).toContain('Zahlungsbeleg: 12,50 USD');
});

test('contains no text that the owner of an unknown store could write', async () => {
  const paid = await pay();
  await press(paid);
  const [mail] = await mails();
  expect(`${mail?.subject} ${mail?.text}`).not.toMatch(/evil|Visit/);
  expect(mail?.text).toContain('Test receipt: no real money moved.');
});

test('has the number of the series and the tax; a seller’s text only of a live store, without what looks like a link', async () => {
  await database.pool.query(
    `UPDATE stores SET legal_name = 'Buy.example B.V.', legal_address = E'Street 1\nTown', vat_number = 'NL123456789B01' WHERE id = $1`,
    [storeId],
  );
  const paid = await pay();
  await database.pool.query('UPDATE sessions SET tax_amount = 250 WHERE id = $1', [paid.id]);
  await press(paid);
  const [mail] = await mails();
  expect(mail?.text).toContain(`Receipt number: T1-000001\nReference: ${paid.id}`);
  expect(mail?.text).toContain('Net amount: 10.00 USDT\nTax (25%): 2.50 USDT');
  expect(mail?.text).not.toMatch(/Buy|Street|NL123/);
  const receipt = await readPaymentReceipt(services, paid.id);
  if (!receipt) throw new Error('there is no receipt');
  const { body } = receiptText({ ...receipt, environment: 'live' }, 'https://link', english);
  expect(body).toContain('Seller: Street 1, Town\nVAT number: NL123456789B01\n');
  expect(body).not.toContain('Buy.example');
  await database.pool.query('UPDATE stores SET legal_name = NULL, legal_address = NULL, vat_number = NULL');
});

test('is sent only from the browser that paid, never before the payment is complete, and is not offered without a mail server', async () => {
  const paid = await pay();
  expect(await press({ id: paid.id })).toBe('elsewhere');
  expect(await press({ id: paid.id, token: 'another' })).toBe('elsewhere');
  const open = await settled.make(storeId);
  const page = await readPayPage(database.pool, open);
  const token = (await recordBrowser(database.pool, open, { page, token: undefined, isSignedIn: false })) ?? '';
  expect(await press({ id: open, token })).toBe('elsewhere');
  expect(await isReceiptMailed(services, { sessionId: paid.id, payerToken: paid.token })).toBe(true);
  const mute = openWith({ LIMIT_LOOPBACK: 'off' });
  expect(await isReceiptMailed(mute, { sessionId: paid.id, payerToken: paid.token })).toBe(false);
  expect(await press(paid, {}, english, mute)).toBe('elsewhere');
  expect(await mails()).toEqual([]);
});

test('is refused from another site, and an invalid address is reported as such', async () => {
  const paid = await pay();
  expect(await press(paid, { 'sec-fetch-site': 'cross-site' })).toBe(403);
  for (const email of ['', 'ana', 'ana@example', 'a@b.example\r\nBcc: c@d.example', 'a@b.example, c@d.example'])
    expect(await press({ ...paid, email })).toBe('invalid');
  expect(await mails()).toEqual([]);
});

test('is sent three times, however many clicks come at once, and one address gets three of all receipts', async () => {
  const paid = await pay();
  const at = (n: number): string => `ana${n}@example.com`;
  const all = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => press({ ...paid, email: at(n) })));
  expect(all.filter((one) => one === 'sent')).toHaveLength(3);
  expect(all.filter((one) => one === 'used_up')).toHaveLength(3);
  expect(await mails()).toHaveLength(3);
  const sent: unknown[] = [];
  for (let n = 0; n < 4; n++) sent.push(await press({ ...(await pay()), email: 'bo@example.com' }));
  expect(sent).toEqual(['sent', 'sent', 'sent', 'used_up']);
});

test('is sent after all other mails, and its address is deleted then', async () => {
  const paid = await pay();
  await press(paid);
  await database.pool.query(
    `INSERT INTO mails (recipient, subject, body, rank, created_at, next_at)
     SELECT recipient, 'Welcome', body, 1, created_at, next_at FROM mails`,
  );
  const sent: string[] = [];
  await sendMails(({ subject, to }) => {
    sent.push(`${subject} ${to}`);
    return Promise.resolve();
  })(services);
  expect(sent).toEqual(['Welcome ana@example.com', 'Receipt of payment ana@example.com']);
  const { rows } = await database.pool.query('SELECT recipient, body FROM mails ORDER BY rank');
  expect(rows).toEqual([
    { recipient: 'ana@example.com', body: '' },
    { recipient: '', body: '' },
  ]);
});
