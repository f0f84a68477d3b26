// Every page of the dashboard, the operator console and the accounts, by its source file. Also the data that fills
// them: payments, an overpayment, a refund, a payout, a link, a member, an undelivered event.

import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { Page } from '@playwright/test';
import { Wallet } from 'ethers';
import { call } from './console';
import type { Merchant } from './merchant';
import { ROOT, sandbox } from './http-client';
import { expect } from './story';

/** The objects that pages are about. */
export type Things = {
  readonly store: string;
  readonly session: string;
  readonly refund: string;
  readonly payout: string;
  readonly delivery: string;
  readonly sweep: string;
};

type At = (things: Things) => readonly string[];

const inBoth =
  (page: string): At =>
  ({ store }) => [`/dashboard/${store}/test/${page}`, `/dashboard/${store}/live/${page}`];
const inTest =
  (page: (things: Things) => string): At =>
  (things) => [`/dashboard/${things.store}/test/${page(things)}`];
const bare = (at: string) => (): readonly string[] => [at];

const ENVIRONMENT = '/dashboard/[store_id]/[environment]';
const BAD_LINK = `?token=${'A'.repeat(43)}`;

export const MONEY_PAGES: Readonly<Record<string, At>> = {
  [`${ENVIRONMENT}/overview`]: inBoth('overview'),
  [`${ENVIRONMENT}/payments`]: inBoth('payments'),
  [`${ENVIRONMENT}/payments/[session_id]`]: inTest(({ session }) => `payments/${session}`),
  [`${ENVIRONMENT}/refunds`]: inBoth('refunds'),
  [`${ENVIRONMENT}/refunds/[refund_id]`]: inTest(({ refund }) => `refunds/${refund}`),
  [`${ENVIRONMENT}/balances`]: inBoth('balances'),
  [`${ENVIRONMENT}/balances/reserves`]: inBoth('balances/reserves'),
  [`${ENVIRONMENT}/payouts`]: inBoth('payouts'),
  [`${ENVIRONMENT}/payouts/[payout_id]`]: inTest(({ payout }) => `payouts/${payout}`),
  [`${ENVIRONMENT}/links`]: inBoth('links'),
  [`${ENVIRONMENT}/till`]: inBoth('till'),
};

export const STORE_PAGES: Readonly<Record<string, At>> = {
  [`${ENVIRONMENT}/keys`]: inBoth('keys'),
  [`${ENVIRONMENT}/webhooks`]: inBoth('webhooks'),
  [`${ENVIRONMENT}/webhooks/deliveries`]: inBoth('webhooks/deliveries'),
  [`${ENVIRONMENT}/webhooks/deliveries/[delivery_id]`]: inTest(({ delivery }) => `webhooks/deliveries/${delivery}`),
  [`${ENVIRONMENT}/webhooks/verify`]: inTest(() => 'webhooks/verify'),
  [`${ENVIRONMENT}/events`]: inBoth('events'),
  '/dashboard': bare('/dashboard'),
  '/dashboard/account': bare('/dashboard/account'),
  '/dashboard/new': bare('/dashboard/new'),
  '/dashboard/[store_id]/branding': ({ store }) => [`/dashboard/${store}/branding`],
  '/dashboard/[store_id]/members': ({ store }) => [`/dashboard/${store}/members`],
  '/dashboard/[store_id]/settings': ({ store }) => [`/dashboard/${store}/settings`],
};

export const OPERATOR_PAGES: Readonly<Record<string, At>> = {
  '/operator': bare('/operator'),
  '/operator/alarms': () => ['/operator/alarms', '/operator/alarms?show=closed'],
  '/operator/all-payments': () => ['/operator/all-payments', '/operator/all-payments?environment=test'],
  '/operator/audit': bare('/operator/audit'),
  '/operator/health': bare('/operator/health'),
  '/operator/jobs': () => [
    '/operator/jobs',
    '/operator/jobs?show=quarantine',
    '/operator/jobs?show=deliveries',
    '/operator/jobs?show=mails',
  ],
  '/operator/payments': bare('/operator/payments'),
  '/operator/refunds': bare('/operator/refunds'),
  '/operator/security': () => ['/operator/security', '/operator/security?period=week&kind=sign_in_failed'],
  // Redirects to the console when no set-up is open; set-up.spec.ts tests the page itself.
  '/operator/setup': bare('/operator/setup'),
  '/operator/stores': () => ['/operator/stores', '/operator/stores?status=approved'],
  '/operator/stores/[store_id]': ({ store }) => [`/operator/stores/${store}`],
  '/operator/treasury': () => ['/operator/treasury', '/operator/treasury?environment=live'],
  '/operator/treasury/costs': () => ['/operator/treasury/costs', '/operator/treasury/costs?environment=live'],
  '/operator/treasury/fees': () => ['/operator/treasury/fees', '/operator/treasury/fees?environment=live'],
  '/operator/screening': () => ['/operator/screening'],
  '/operator/treasury/reserves': () => ['/operator/treasury/reserves'],
  '/operator/treasury/sweeps': () => ['/operator/treasury/sweeps', '/operator/treasury/sweeps?state=failed'],
  '/operator/treasury/sweeps/[sweep_id]': ({ sweep }) => [`/operator/treasury/sweeps/${sweep}`],
  '/operator/users': bare('/operator/users'),
  '/operator/wallets': bare('/operator/wallets'),
};

/** Public pages. Pages that a mail links to are tested with an invalid link, which a late visitor would see. */
export const OPEN_PAGES: Readonly<Record<string, At>> = {
  '/login': bare('/login'),
  '/signup': bare('/signup'),
  '/reset': () => ['/reset', `/reset${BAD_LINK}`],
  '/invite': () => ['/invite', `/invite${BAD_LINK}`],
  '/confirm': () => ['/confirm', `/confirm${BAD_LINK}`],
  '/confirm/email': () => ['/confirm/email', `/confirm/email${BAD_LINK}`],
  '/payout-addresses/stop/[token]': bare(`/payout-addresses/stop/${'A'.repeat(43)}`),
  '/setup': () => ['/setup', `/setup${BAD_LINK}`],
};

/** The page after the password and before the code. */
export const HALF_WAY = '/two-factor';

/** Redirects to the overview. */
export const NO_PAGE_OF_ITS_OWN = '/dashboard/[store_id]';

/** All pages from the source files, as addresses with their parameter names. */
export const pagesOfFiles = (): string[] =>
  ['dashboard', 'operator', '(account)']
    .flatMap((area) =>
      readdirSync(path.join(ROOT, 'app', area), { recursive: true, encoding: 'utf8' })
        .filter((file) => path.basename(file) === 'page.tsx')
        .map((file) => path.posix.join('/', area, path.dirname(file).replaceAll(path.sep, '/'))),
    )
    .map((page) => page.replace('/(account)', ''))
    .toSorted();

const statusOf = async (url: string): Promise<string> =>
  ((await (await fetch(`${url}/status`)).json()) as { status: string }).status;

async function paid(merchant: Merchant, payment: object): Promise<string> {
  const session = await merchant.create();
  await merchant.pay(session.id, payment);
  await expect.poll(() => statusOf(session.url)).toBe('COMPLETED');
  return session.id;
}

/** A payment that is swept. `page` belongs to an operator. */
export async function sweptPayment(page: Page, merchant: Merchant): Promise<string> {
  await paid(merchant, {});
  const link = page.getByRole('table', { name: 'Sweeps' }).getByRole('link').first();
  await expect(async () => {
    await page.goto('/operator/treasury/sweeps');
    await expect(link).toBeVisible({ timeout: 1000 });
  }).toPass({ timeout: 60_000 });
  return ((await link.getAttribute('href')) ?? '').split('/').at(-1) ?? '';
}

/** Fills the sandbox's first store. `page` belongs to its owner. */
export async function fill(page: Page, merchant: Merchant, baseURL: string): Promise<Things> {
  const store = sandbox().stores[0].id;
  const scope = `/stores/${store}`;
  const refuses = await fetch(`${baseURL}/sandbox/webhooks/behaviour`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    // A delivery with this response is not retried.
    body: JSON.stringify({ contains: '"test":true', store_id: store, answers: [{ status: 401, body: 'no' }] }),
  });
  expect(refuses.status).toBe(200);
  const { delivery_id } = await call<{ delivery_id: string }>(page, `${scope}/test/test-events`, {
    type: 'payment.completed',
  });
  await call(page, `${scope}/test/links`, { title: 'Guided walk', currency: 'USD', amount: 1234 });
  // A long name without a space, as some languages and users write them, must not make a page scroll sideways.
  const word = 'Nordlicht'.repeat(6);
  await call(page, `${scope}/test/links`, { title: word, currency: 'USD', amount: 1234 });
  await call(page, `${scope}/test/keys`, { name: word });
  await call(page, `${scope}/members/invite`, { email: `helper-${Date.now()}@shop.example`, role: 'support' });
  const [session] = await Promise.all([paid(merchant, {}), paid(merchant, { scenario: 'over' })]);
  await merchant.create({ order_id: `Bestellnummer-${Date.now()}-${'0123456789'.repeat(4)}` });
  const { refund_id } = await merchant.refund(session, { amount: 234 });
  await page.goto(`/dashboard/${store}/test/refunds`);
  const row = page.getByRole('link', { name: refund_id });
  const refund = ((await row.getAttribute('href')) ?? '').split('/').at(-1) ?? '';
  const address = Wallet.createRandom().address;
  await call(page, `${scope}/test/payout-addresses`, { network: 'bsc', address });
  const request = { payout_id: randomUUID(), network: 'bsc', currency: 'USDT', amount: 100 };
  const { id: payout } = await call<{ id: string }>(page, `${scope}/test/payouts`, request);
  return { store, session, refund, payout, delivery: delivery_id, sweep: '' };
}
