// What a customer paid goes home: the service sweeps the deposit address to the refund wallet, and the console shows it.

import { asOperator, newMerchant, otherPage, seriousFaults, sweptCents } from './console';
import { Stranger } from './external-wallet';
import { expect, test } from './story';

type Status = {
  readonly status: string;
  readonly methods: readonly { network: string; currency: string; address: string }[];
};
const statusOf = async (url: string): Promise<Status> => (await (await fetch(`${url}/status`)).json()) as Status;

const PRICE = 1234;

test('a payment reaches the refund wallet by itself, shows in the console, and stops nothing', async ({
  page,
  browser,
  baseURL,
}) => {
  test.setTimeout(240_000);
  const mine = await otherPage(browser, baseURL as string);
  const customer = new Stranger();
  await asOperator(page);
  const { merchant } = await newMerchant(mine, page, baseURL as string);
  const session = await merchant.create();
  const { methods } = await statusOf(session.url);
  const deposit = methods.find(({ network, currency }) => network === 'bsc' && currency === 'USDT')?.address ?? '';
  await page.setViewportSize({ width: 1440, height: 900 });
  const swept = (): Promise<number> => sweptCents(page, 'BNB Smart Chain');
  const before = await swept();
  await customer.pay(deposit, PRICE);
  await expect.poll(async () => (await statusOf(session.url)).status).toBe('COMPLETED');
  await expect.poll(() => customer.centsOf(deposit), { timeout: 60_000 }).toBe(0);
  // Other stories sell at the same time.
  await expect.poll(swept, { timeout: 60_000 }).toBeGreaterThanOrEqual(before + PRICE);
  await expect(page.getByText(deposit)).toHaveCount(0);
  expect(await seriousFaults(page)).toEqual([]);
  customer.close();
});
