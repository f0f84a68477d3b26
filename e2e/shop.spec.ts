// A newcomer's journey: buy in the demo shop, pay with the test wallet, see it paid, see the signed webhook.

import { expect, test } from './story';

test('a newcomer buys in the shop, pays with the test wallet, sees it paid and returns to the shop', async ({
  page,
  context,
}) => {
  await page.goto('/shop');
  await expect(page.getByRole('img', { name: 'Blue mug' })).toBeVisible();
  await expect(page.getByText('$12.50', { exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Buy' }).click();
  await expect(page).toHaveURL(/\/pay\/cs_test_/);
  await expect(page.locator('.price')).toHaveText('12.50 USD');
  await expect(page.locator('[data-stage="pay"]')).toBeVisible();

  // The wallet is a separate page, as in real use: the payment page stays open and updates automatically.
  const order = await page.locator('[data-link="cancel"]').getAttribute('href');
  const wallet = await context.newPage();
  await wallet.goto(order as string);
  await wallet.getByRole('radio').first().check();
  await wallet.getByRole('button', { name: 'Pay' }).click();
  await expect(wallet.getByText('Sent by the test wallet')).toBeVisible();
  await wallet.close();

  await expect(page.locator('[data-stage="confirming"], [data-stage="paid"]')).toBeVisible();
  await expect(page.locator('[data-stage="paid"]')).toBeVisible();
  // The page returns automatically.
  await page.waitForURL(order as string);
  await expect(page.locator('.status')).toHaveText('Paid');
  await expect(page.locator('.signature')).toHaveText('Verified');
});
