// The hosted page by keyboard alone: Tab reaches every control in reading order, the focus is visible, and Enter acts
// like a click. In forms the focus moves to the invalid field.

import type { Page } from '@playwright/test';
import { expect, test } from './story';

/** More tab stops than the page has. */
const MAX_STOPS = 40;

type Stop = { readonly name: string; readonly outlined: boolean; readonly inView: boolean };

/** The focused element, and whether a user can see its focus. */
const focused = (page: Page): Promise<Stop> =>
  page.evaluate(() => {
    const element = document.activeElement as HTMLElement;
    const style = getComputedStyle(element);
    const box = element.getBoundingClientRect();
    return {
      name: element.getAttribute('aria-label') ?? (element.innerText.trim() || element.id || element.tagName),
      outlined: style.outlineStyle !== 'none' && Number.parseInt(style.outlineWidth, 10) >= 2,
      inView: box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < window.innerHeight,
    };
  });

/** Tabs until a control whose name matches has the focus; every stop must be visible. Returns the names passed. */
async function tabTo(page: Page, wanted: RegExp): Promise<string[]> {
  const passed: string[] = [];
  while (passed.length < MAX_STOPS) {
    await page.keyboard.press('Tab');
    const { name, outlined, inView } = await focused(page);
    passed.push(name);
    expect({ name, outlined, inView }).toEqual({ name, outlined: true, inView: true });
    if (wanted.test(name)) return passed;
  }
  throw new Error(`Tab never came to ${String(wanted)}, but to: ${passed.join(' | ')}`);
}

for (const { width, colorScheme } of [
  { width: 390, colorScheme: 'light' },
  { width: 1280, colorScheme: 'dark' },
] as const) {
  test(`at ${width} pixels, ${colorScheme}: choose a network, copy, open the code for wallets, use the finder`, async ({
    page,
    context,
    merchant,
  }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const session = await merchant.create({ currency: 'USD' });
    const pasted = () => page.evaluate(() => navigator.clipboard.readText());
    await page.goto(session.url);

    await tabTo(page, /^Copy amount$/);
    await page.keyboard.press('Enter');
    await expect.poll(pasted).toBe('12.34');
    await tabTo(page, /^Token · Network/);
    await page.keyboard.press('Enter');
    await tabTo(page, /USDC$/);
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/method=\w+-USDC/);
    await expect(page.locator('.amount')).toContainText('12.34 USDC');
    await tabTo(page, /^Ethereum/);
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/method=ethereum-USDC/);
    await expect(page.locator('.warn-send')).toContainText('USDC on Ethereum');

    await tabTo(page, /^Copy address$/);
    await page.keyboard.press('Space');
    await expect.poll(pasted).toBe(await page.locator('[data-address]').getAttribute('data-address'));

    await tabTo(page, /^Other wallets$/);
    await page.keyboard.press('Enter');
    await tabTo(page, /^MetaMask$/);
    await expect(page.locator('[data-code="wallet"]')).toHaveCount(0);
    await page.keyboard.press('Enter');
    await expect(page.locator('[data-code="wallet"]')).toBeVisible();

    await tabTo(page, /^I have paid, but it does not show$/);
    await page.keyboard.press('Enter');
    await tabTo(page, /^find-transaction$/);
    await page.keyboard.type(`0x${'ab'.repeat(32)}`);
    await tabTo(page, /^Look it up$/);
    await page.keyboard.press('Enter');
    await expect(page.locator('[data-verdict="not_found"]')).toBeVisible();
    await expect(page.locator('.warn-send')).toContainText('USDC on Ethereum');
  });
}

test('Tab visits every control of the page once, in reading order', async ({ page, merchant }) => {
  const session = await merchant.create({ currency: 'USD' });
  await page.goto(session.url);
  const passed = await tabTo(page, /^Language$/);
  expect(new Set(passed).size).toBe(passed.length);
  const order = [
    /^Copy amount$/,
    /^Token · Network/,
    /^Copy address$/,
    /^Open in wallet$/,
    /^Pay with test money$/,
    /^Other wallets$/,
    /^I have/,
    /^Leave/,
  ];
  const places = order.map((wanted) => passed.findIndex((name) => wanted.test(name)));
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(places).not.toContain(-1);
});

test('an empty field shows its own error and has the focus, and the error goes once it is filled', async ({ page }) => {
  await page.goto('/login?lang=es');
  const email = page.getByLabel('Correo electrónico');
  await expect(async () => {
    await page.getByRole('button', { name: 'Entrar', exact: true }).click();
    await expect(email).toHaveAttribute('aria-invalid', 'true', { timeout: 500 });
  }).toPass();
  await expect(email).toBeFocused();
  await expect(email).toHaveAccessibleDescription('Rellena este campo.');
  await email.fill('mira@bluemug.example');
  await expect(email).not.toHaveAttribute('aria-invalid');
});
