// A merchant selects optional events, and the endpoint receives one when a customer pays part of the price.

import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { asOperator, call, newMerchant, otherPage, seriousFaults } from './console';
import { expect, test } from './story';

const MOST_PAYMENTS = 8;

/** A receiver that accepts everything; `types` in the order of arrival. */
async function openShop() {
  const types: string[] = [];
  const server = http.createServer((request, response) => {
    request.resume().on('end', () => {
      types.push(String(request.headers['x-service-event-type']));
      response.writeHead(200).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  return { types, close, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}

test('an endpoint receives optional events from the moment they are ticked, and the pages name them', async ({
  page,
  browser,
  baseURL,
}) => {
  test.setTimeout(300_000);
  const shop = await openShop();
  const operator = await otherPage(browser, baseURL as string);
  await asOperator(operator);
  const { store, merchant } = await newMerchant(page, operator, baseURL as string);
  const hooks = `/dashboard/${store.id}/test/webhooks`;
  await call(page, `/stores/${store.id}/test/webhook`, { url: shop.url });

  await page.goto(hooks);
  const gets = page.getByText('This endpoint gets:');
  const box = (type: string) => page.getByRole('checkbox', { name: type });
  await expect(gets).not.toContainText('payment.seen');
  for (const type of ['payment.seen', 'payment.partial', 'payment.exception'])
    await expect(box(type)).not.toBeChecked();

  // No event is selected yet, so a partial payment sends nothing.
  const quiet = await merchant.create();
  await merchant.pay(quiet.id, { amount: 500 });
  await merchant.pay(quiet.id, { amount: 734 });
  await expect.poll(() => shop.types).toEqual(['payment.completed']);

  await box('payment.seen').check();
  await box('payment.partial').check();
  const card = page.locator('form').filter({ has: box('payment.seen') });
  await card.getByRole('button', { name: 'Save' }).click();
  await expect(gets).toContainText('refund.failed, payment.seen, payment.partial');
  await page.reload();
  await expect(box('payment.seen')).toBeChecked();
  await expect(box('payment.partial')).toBeChecked();
  await expect(box('payment.exception')).not.toBeChecked();
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await seriousFaults(page), `${page.url()} at ${width}`).toEqual([]);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow, `${page.url()} at ${width}`).toBeLessThanOrEqual(0);
  }

  // A payment that is final before the watcher first reads its block, as on a slow machine, was never unconfirmed. Then another one is made.
  const count = (type: string) => shop.types.filter((one) => one === type).length;
  let told = '';
  let partials = 0;
  while (partials === 0 || (count('payment.seen') === 0 && partials < MOST_PAYMENTS)) {
    told = (await merchant.create()).id;
    await merchant.pay(told, { amount: 500 });
    partials++;
    await expect.poll(() => count('payment.partial')).toBe(partials);
  }
  await expect.poll(() => count('payment.seen')).toBeGreaterThan(0);
  await merchant.pay(told, { amount: 734 });
  await expect.poll(() => count('payment.completed')).toBe(2);
  expect([count('payment.partial'), count('payment.exception')]).toEqual([partials, 0]);

  await page.goto(`${hooks}/verify`);
  await page.getByLabel('Type of event').selectOption('payment.exception');
  await page.getByRole('button', { name: 'Send a test event' }).click();
  await expect.poll(() => count('payment.exception')).toBe(1);

  await page.goto(`${hooks}/deliveries?type=payment.partial`);
  await expect(page.getByRole('link', { name: 'payment.partial' })).toHaveCount(partials);
  shop.close();
});
