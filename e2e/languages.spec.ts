// Every language of the page on the narrowest phone: nothing overflows, nothing is missing, and the page declares its
// language and direction.

import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { Page } from '@playwright/test';
import { expect, test } from './story';

const MESSAGES = new URL('../messages/', import.meta.url);
const LANGUAGES = readdirSync(MESSAGES).flatMap((name) => (name.endsWith('.json') ? [name.slice(0, -5)] : []));
const RIGHT_TO_LEFT = new Set(['ar', 'fa', 'he', 'ur']);
/** The size limit of the HTML, QR code and texts included. */
const MAX_BYTES = 20_000;

const textsOf = (language: string): Record<string, string> =>
  JSON.parse(readFileSync(new URL(`${language}.json`, MESSAGES), 'utf8')) as Record<string, string>;
const KEYS = Object.keys(textsOf('en')).filter((key) => /[a-z][A-Z]/.test(key));

/** The faults of the rendered page; empty when there are none. */
async function faultsOf(page: Page, language: string): Promise<string[]> {
  return page.evaluate(
    ({ lang, dir, keys, known }) => {
      const root = document.documentElement;
      const text = document.body.innerText;
      const figure = document.querySelector<HTMLElement>('.amount-figure')?.innerText ?? 'no amount';
      const warnings = document.querySelector<HTMLElement>('.warn-fees')?.innerText ?? '';
      const cut = [...document.querySelectorAll<HTMLElement>('button, a, select, label, .headline, .send, .label')]
        .filter((one) => one.offsetWidth > 0 && one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0)
        .map((one) => `runs over: ${one.className} ${one.innerText.slice(0, 40)}`);
      const wide = root.scrollWidth - window.innerWidth;
      return [
        ...(root.lang === lang ? [] : [`lang is ${root.lang}`]),
        ...(root.dir === dir ? [] : [`dir is ${root.dir}`]),
        ...(wide > 0 ? [`${wide} pixels too wide`] : []),
        ...(text.includes(known) ? [] : [`does not say ${known}`]),
        ...(/[{}]|undefined|\bMISSING/.test(text) ? ['a text is not filled in'] : []),
        ...(warnings.includes(figure) ? [] : [`does not warn with the amount as it is typed: ${figure}`]),
        ...keys.filter((key) => new RegExp(`\\b${key}\\b`).test(text)).map((key) => `shows the key ${key}`),
        ...cut,
      ];
    },
    {
      lang: language,
      dir: RIGHT_TO_LEFT.has(language) ? 'rtl' : 'ltr',
      keys: KEYS,
      known: textsOf(language).sendExactly ?? '',
    },
  );
}

/** Buttons whose single word wraps over several lines. */
const brokenWords = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('button, .button, .button-quiet')]
      .filter((one) => !/\s/.test(one.innerText.trim()))
      .filter((one) => {
        const range = document.createRange();
        range.selectNodeContents(one);
        return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1;
      })
      .map((one) => `breaks ${one.innerText}`),
  );

test('at least forty languages are complete at 320 pixels, each in under 20 kB', async ({ page, merchant }) => {
  // Takes half a minute on an idle machine.
  test.setTimeout(240_000);
  expect(LANGUAGES.length).toBeGreaterThanOrEqual(40);
  const session = await merchant.create({ currency: 'USD', description: 'Two mugs' });
  await page.setViewportSize({ width: 320, height: 700 });
  // Skips the scripts, which are the same in every language and would only take time.
  await page.route('**/_next/static/**/*.js', (route) => route.abort());
  let heaviest = { language: '', bytes: 0 };
  for (const language of LANGUAGES) {
    const answer = await page.goto(`${session.url}?lang=${language}`, { waitUntil: 'domcontentloaded' });
    expect(`${language} ${answer?.status()}`).toBe(`${language} 200`);
    const bytes = gzipSync((await answer?.body()) ?? '').length;
    if (bytes > heaviest.bytes) heaviest = { language, bytes };
    expect.soft(await faultsOf(page, language), language).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 700 });
    expect.soft(await brokenWords(page), language).toEqual([]);
    await page.setViewportSize({ width: 320, height: 700 });
  }
  console.log(
    `${LANGUAGES.length} languages; the heaviest HTML: ${heaviest.language}, ${heaviest.bytes} bytes gzipped`,
  );
  expect(heaviest.bytes).toBeLessThan(MAX_BYTES);
});

test('the switch names every language and works without scripts, on the page that it is on', async ({
  browser,
  merchant,
}) => {
  const session = await merchant.create({ currency: 'USD' });
  const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 320, height: 700 } });
  const page = await context.newPage();
  await page.goto(`${session.url}?method=bsc-USDC`);
  const form = page.locator('form.languages');
  expect(await form.locator('option').count()).toBe(LANGUAGES.length);
  await form.getByRole('combobox').selectOption('he');
  await form.getByRole('button').click();
  await expect(page.locator('html')).toHaveAttribute('lang', 'he');
  await expect(page.locator('html')).toHaveAttribute('dir', 'rtl');
  await expect(page).toHaveURL(/method=bsc-USDC/);
  await page.goto(session.url);
  await expect(page.locator('html')).toHaveAttribute('lang', 'he');
  await context.close();
});

test('a shop can choose a language in the address, by any of its usual codes', async ({ page, merchant }) => {
  const session = await merchant.create();
  for (const [requested, language] of [
    ['zh-TW', 'zh-Hant'],
    ['pt-BR', 'pt'],
    ['iw', 'he'],
    ['NO', 'nb'],
  ]) {
    await page.goto(`${session.url}?lang=${requested}`);
    await expect(page.locator('html')).toHaveAttribute('lang', language as string);
  }
});
