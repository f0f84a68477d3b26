// "Open in wallet" on TRON, where no payment link works in every wallet. The first view has links to the wallets that
// document one, and copies the address for all others.

import type { Page } from '@playwright/test';
import type { Session } from './merchant';
import { expect, test } from './story';

const apps = (page: Page) => page.getByRole('group', { name: 'Open in wallet' });
const onTron = ({ url }: Session) => `${url}?method=tron-USDT`;

test('on TRON the first view opens TronLink or OKX Wallet, copies the address and says so', async ({
  page,
  merchant,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const session = await merchant.create();
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(onTron(session));
  const address = await page.locator('[data-address]').getAttribute('data-address');
  const tronLink = apps(page).getByRole('link', { name: 'Open in TronLink' });
  await expect(tronLink).toBeInViewport();
  const href = (await tronLink.getAttribute('href')) ?? '';
  expect(href).toMatch(/^tronlinkoutside:\/\/pull\.activity\?param=/);
  expect(JSON.parse(decodeURIComponent(href.split('param=')[1] ?? ''))).toMatchObject({
    action: 'open',
    url: onTron(session),
  });
  const okx = apps(page).getByRole('link', { name: 'Open in OKX Wallet' });
  await expect(okx).toHaveAttribute('href', /^https:\/\/web3\.okx\.com\/download\?deeplink=okx%3A/);
  // Trust Wallet supports main networks only, and this chain is not one.
  await expect(apps(page).getByRole('link', { name: 'Open in Trust Wallet' })).toHaveCount(0);

  // No app on this machine opens the link.
  await tronLink.click();
  await expect(apps(page).getByRole('status')).toContainText('The address is copied. If TronLink does not open');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(address);
  await expect(page.locator('[data-stage="pay"]')).toBeVisible();
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/tron-copied-360.png`, fullPage: true });
});

test('the wallet chosen for the code is the one that opens, and the status keeps the bare address', async ({
  page,
  merchant,
}) => {
  const session = await merchant.create();
  await page.goto(`${onTron(session)}&wallet=okx`);
  await expect(apps(page).getByRole('link')).toHaveText('Open in OKX Wallet');
  const { methods } = (await (await page.request.get(`${session.url}/status`)).json()) as {
    methods: { network: string; address: string; payment_uri: string }[];
  };
  const tron = methods.find(({ network }) => network === 'tron');
  expect(tron?.payment_uri).toBe(tron?.address);
});

test('without scripts the links are there and the address is selected in one piece', async ({ browser, merchant }) => {
  const session = await merchant.create();
  const context = await browser.newContext({ javaScriptEnabled: false, locale: 'en-US' });
  const page = await context.newPage();
  await page.goto(onTron(session));
  await expect(apps(page).getByRole('link', { name: 'Open in TronLink' })).toHaveAttribute('href', /^tronlinkoutside:/);
  await expect(page.locator('[data-address]')).toHaveCSS('user-select', 'all');
  await context.close();
});

test('the wallets of TRON fit every screen in both directions', async ({ page, merchant }) => {
  const session = await merchant.create();
  for (const language of ['en', 'ar']) {
    await page.goto(`${onTron(session)}&lang=${language}`);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      for (const width of [320, 360, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(
          0,
        );
        if (!process.env.SHOTS) continue;
        const name = `tron-${language}-${colorScheme}-${width}.png`;
        await page.screenshot({ path: `${process.env.SHOTS}/${name}`, fullPage: true });
      }
    }
  }
});
