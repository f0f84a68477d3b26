// A refund from the customer's view: it returns to the paying wallet, or waits for an address, and has a receipt.

import { Merchant, type Refund } from './merchant';
import { expect, test } from './story';
import { Stranger } from './external-wallet';

/** Resolves to the refund once it has this status. */
async function reaches(merchant: Merchant, refundId: string, status: string): Promise<Refund> {
  await expect.poll(async () => (await merchant.readRefund(refundId)).status).toBe(status);
  return merchant.readRefund(refundId);
}

type Status = {
  readonly status: string;
  readonly methods: readonly { network: string; currency: string; address: string }[];
};
const statusOf = async (url: string): Promise<Status> => (await (await fetch(`${url}/status`)).json()) as Status;

async function addressOf(url: string): Promise<string> {
  const { methods } = await statusOf(url);
  const method = methods.find(({ network, currency }) => network === 'bsc' && currency === 'USDT');
  if (!method) throw new Error('the session offers no USDT on BSC');
  return method.address;
}
const completed = (url: string) => expect.poll(async () => (await statusOf(url)).status).toBe('COMPLETED');

test('a customer gets the refund in the paying wallet, follows its progress, and opens the receipt', async ({
  page,
  merchant,
}) => {
  const customer = new Stranger();
  const session = await merchant.create();
  await customer.pay(await addressOf(session.url), 1234);
  await completed(session.url);
  expect(await customer.cents()).toBe(0);

  const { refund_id } = await merchant.refund(session.id);
  await page.goto(session.url);
  const refund = await reaches(merchant, refund_id, 'completed');
  expect(refund.destination?.toLowerCase()).toBe(customer.address.toLowerCase());
  expect(await customer.cents()).toBe(1234);

  // The page has updated automatically.
  const link = page.getByRole('listitem').filter({ hasText: 'Sent' }).getByRole('link');
  await expect(link).toBeVisible();
  await link.click();
  await expect(page).toHaveURL(refund.receipt_url as string);
  await expect(page.getByText(refund.receipt_number as string)).toBeVisible();
  await expect(page.locator('.hash-short')).toHaveAttribute('title', refund.transaction_hash as string);
  customer.close();
});

test('a payment by two people waits for an address, which its customer gives by the link from the shop', async ({
  page,
  baseURL,
}) => {
  const [one, two] = [new Stranger(), new Stranger()];
  // The sandbox's second shop lists a contact.
  const merchant = new Merchant(baseURL as string, 1);
  const session = await merchant.create({ order_id: `order-${Date.now()}` });
  const address = await addressOf(session.url);
  await one.pay(address, 1000);
  await two.pay(address, 234);
  await completed(session.url);

  const { refund_id } = await merchant.refund(session.id);
  await expect.poll(async () => (await merchant.readRefund(refund_id)).hold?.reason).toBe('destination_needed');
  const { hold } = await merchant.readRefund(refund_id);

  const mine = new Stranger();
  await page.goto(hold?.claim_url as string);
  // A customer without an address can contact the shop, with the shop's own reference.
  await expect(page.locator('[data-support]')).toHaveAttribute('href', /\?subject=order-\d+$/);
  await expect(page.getByText('12.34 USDT', { exact: false })).toHaveCount(1);
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.evaluate((text) => navigator.clipboard.writeText(` ${text}\n`), mine.address);
  await page.getByRole('button', { name: 'Paste' }).click();
  await expect(page.getByLabel(/^Your address on/)).toHaveValue(mine.address);
  await page.getByRole('button', { name: 'Check this address' }).click();
  await expect(page.getByRole('heading', { name: 'Is this your address?' })).toBeVisible();
  await page.getByRole('button', { name: 'Yes, use this address' }).click();
  await expect(page.getByText(/^Thank you\. Your refund goes to this address/)).toBeVisible();

  await reaches(merchant, refund_id, 'completed');
  expect(await mine.cents()).toBe(1234);
  await page.reload();
  await expect(page.getByText('This refund has been sent.')).toBeVisible();
  for (const stranger of [one, two, mine]) stranger.close();
});
