// A merchant whose server answers every webhook with 401 finds the reason in the console, fixes it, and resends all
// failed events. The server is a real one on this machine; its check follows the interface specification.

import { createHmac } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from '@playwright/test';
import { asOperator, call, newPerson, otherPage, protectAccount, seriousFaults, signIn } from './console';
import { expect, test } from './story';

type Refused = { readonly headers: string; readonly computed: string };

/** A shop's receiver: answers 200 to valid signatures and 401 to all else, with the computed signature logged. */
class Shop {
  secret = '';
  readonly refused: Refused[] = [];
  readonly taken: string[] = [];
  readonly #server = http.createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts);
    const { 'x-service-timestamp': timestamp, 'x-service-nonce': nonce, 'x-service-signature': sent } = request.headers;
    const computed = createHmac('sha256', this.secret)
      .update(`${String(timestamp)}.${String(nonce)}.`)
      .update(body)
      .digest('hex');
    if (computed === sent) {
      this.taken.push(String(request.headers['x-service-event-id']));
      response.writeHead(200).end('{"received":true}');
      return;
    }
    const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${String(value)}`);
    this.refused.push({ headers: headers.join('\n'), computed });
    response.writeHead(401).end('{"error":"bad signature"}');
  });

  async open(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

async function looksRight(page: Page): Promise<void> {
  for (const width of [360, 1280]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await seriousFaults(page), `${page.url()} at ${width}`).toEqual([]);
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow, `${page.url()} at ${width}`).toBeLessThanOrEqual(0);
  }
}

test('a server that answers 401 is diagnosed by paste and verify, repaired, and receives all failed events', async ({
  page,
  browser,
  baseURL,
}) => {
  test.setTimeout(300_000);
  const shop = new Shop();
  const url = await shop.open();
  const operator = await otherPage(browser, baseURL as string);
  await asOperator(operator);
  await signIn(page, await newPerson(page, operator), '/dashboard');
  await protectAccount(page);
  const { id } = await call<{ id: string }>(page, '/stores', { name: 'Shop with a fault' });
  // The fault: the server of the test environment has the secret of the live one.
  const live = await call<{ secret: string }>(page, `/stores/${id}/live/webhook`, { url });
  shop.secret = live.secret;

  const hooks = `/dashboard/${id}/test/webhooks`;
  await page.goto(hooks);
  await page.getByLabel('Address').fill(url);
  await page.getByRole('button', { name: 'Set endpoint' }).click();
  const shown = page.getByRole('dialog').locator('code');
  await expect(shown).toHaveText(/whsec_/);
  const secret = ((await shown.textContent()) ?? '').split('=')[1] ?? '';
  await page.getByRole('button', { name: 'I have kept it' }).click();

  await page.getByRole('link', { name: 'Try it out' }).click();
  for (const type of ['payment.completed', 'refund.failed']) {
    await page.getByLabel('Type of event').selectOption(type);
    await page.getByRole('button', { name: 'Send a test event' }).click();
    await expect.poll(() => shop.refused.length).toBe(type === 'payment.completed' ? 1 : 2);
  }
  await page.goto(`${hooks}/deliveries?status=failed`);
  await expect(async () => {
    await page.reload();
    await expect(page.getByRole('link', { name: 'refund.failed' })).toBeVisible({ timeout: 2000 });
  }).toPass();
  await page.getByRole('link', { name: 'payment.completed' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'payment.completed' })).toBeVisible();
  await expect(page.getByText(/^HTTP 401/)).toBeVisible();
  await expect(page.getByRole('group', { name: 'What your server answered' })).toContainText('bad signature');
  await expect(page.getByRole('group', { name: 'Headers that were sent' })).toContainText('…');
  await looksRight(page);

  await page.getByRole('link', { name: 'Paste and verify' }).click();
  const [{ headers, computed }] = shop.refused as [Refused];
  await expect(page.getByLabel('Body', { exact: true })).toHaveValue(/payment\.completed/);
  await page.getByLabel('Headers', { exact: true }).fill(headers);
  await page.getByLabel('The signature that your code computed').fill(computed);
  await page.getByRole('button', { name: 'Verify', exact: true }).click();
  await expect(page.getByText('This request is genuine and signed with the present secret.')).toBeVisible();
  const steps = page.getByRole('list', { name: 'Result' });
  await expect(steps).toContainText('with the webhook secret of the other environment');
  expect(await page.content()).not.toContain(secret);
  await looksRight(page);

  shop.secret = secret;
  await page.goto(`${hooks}/deliveries`);
  await page.getByRole('button', { name: 'Send all that failed again' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Send all that failed again' }).click();
  await expect(page.getByText('2 events are on their way again.')).toBeVisible();
  await expect.poll(() => new Set(shop.taken).size).toBe(2);
  await expect(async () => {
    await page.goto(`${hooks}/deliveries?status=delivered`);
    await expect(page.getByRole('main').getByRole('row').filter({ hasText: 'Delivered' })).toHaveCount(2, {
      timeout: 2000,
    });
  }).toPass();
  await looksRight(page);
  await page.goto(`${hooks}/deliveries`);
  await expect(page.getByRole('heading', { name: 'Health' })).toBeVisible();
  await page.getByRole('link', { name: 'Endpoint', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Signing secret' })).toBeVisible();
  await looksRight(page);
  shop.close();
});
