// `npm run pictures [-- NAME …]`: takes screenshots of the customer pages in every state (pictures/states.mjs), or in
// the named ones. It uses four widths and four languages, with one sheet per language and width. The pages about money of
// operators and merchants (pictures/console.mjs) are in docs/pictures, on a phone and a desktop, light and dark. For
// review before a release and after page changes: tests find defects, only people see ugliness.

import fs from 'node:fs';
import path from 'node:path';
import { chromium } from 'playwright';
import { addStore, openBenchServer, withMigrated } from './bench/database.mjs';
import { startProduct } from './bench/servers.mjs';
import { buildIfNeeded } from './bench/setup.mjs';
import { openWalletChain } from './pictures/chain.mjs';
import { addConsole, TREASURY_SETTINGS } from './pictures/console-rows.mjs';
import { CONSOLE, takeConsole } from './pictures/console.mjs';
import { addSurroundings, renew } from './pictures/rows.mjs';
import { drawSheet } from './pictures/sheet.mjs';
import { addStates, PAYER } from './pictures/states.mjs';
import { installBrowser } from './test/install.mjs';

const OUT = path.join(import.meta.dirname, '../.pictures');
const LANGUAGES = ['en', 'de', 'ar', 'ja'];
const WIDTHS = [320, 360, 768, 1280];
/** Each language appears in both themes, at every other width. */
const themeOf = (language, width) =>
  (LANGUAGES.indexOf(language) + WIDTHS.indexOf(width)) % 2 === 0 ? 'light' : 'dark';
/** Nothing listens there: pages are rendered, and no payment happens. */
const NOWHERE = 'http://127.0.0.1:9';

const wanted = process.argv.slice(2);
buildIfNeeded();
const server = await openBenchServer();
const closers = [() => server.stop()];
try {
  const made = await withMigrated(server.url, async (client) => {
    const keys = await addStore(client);
    const chains = await addSurroundings(client);
    return {
      ...keys,
      cookies: await addConsole(client, chains, keys.masterKeys),
      paths: await addStates(client, chains),
    };
  });
  const ending = [path.basename(made.paths['last-minute'])];
  const onTime = () => withMigrated(server.url, (client) => renew(client, { lagging: ['solana'], ending }));
  const chain = await openWalletChain('bsc');
  closers.push(() => chain.close());
  const env = { TEST_BSC_URLS: chain.url, TEST_TRON_URLS: NOWHERE, TEST_SOLANA_URLS: NOWHERE, ...TREASURY_SETTINGS };
  const product = await startProduct({ ...made, url: server.url, env });
  closers.push(() => product.stop());
  const browser = await chromium.launch({ executablePath: installBrowser(), args: ['--no-sandbox'] });
  closers.push(() => browser.close());
  const names = [...Object.keys(made.paths), ...CONSOLE];
  const unknown = wanted.find((name) => !names.includes(name));
  if (unknown) throw new Error(`there is no state ${unknown}; there are ${names.join(', ')}`);
  const isWanted = (name) => wanted.length === 0 || wanted.includes(name);
  const origin = `http://127.0.0.1:${product.port}`;
  if (CONSOLE.some(isWanted)) await takeConsole(browser, { origin, cookies: made.cookies });
  const states = Object.entries(made.paths).filter(([name]) => isWanted(name));
  fs.rmSync(OUT, { recursive: true, force: true });
  fs.mkdirSync(OUT, { recursive: true });
  for (const language of states.length === 0 ? [] : LANGUAGES)
    for (const width of WIDTHS) {
      await onTime();
      await takeAll(browser, { origin, states, language, width });
    }
  if (states.length > 0)
    console.log(`${states.length} states, each at ${WIDTHS.length} widths in ${LANGUAGES.length} languages: ${OUT}`);
} finally {
  for (const close of closers.toReversed()) await close();
}

async function takeAll(browser, { origin, states, language, width }) {
  const colorScheme = themeOf(language, width);
  const context = await browser.newContext({ viewport: { width, height: 740 }, locale: language, colorScheme });
  await context.addCookies([{ name: 'payer', value: PAYER, url: origin }]);
  const page = await context.newPage();
  const taken = [];
  for (const [name, at] of states) {
    await page.goto(`${origin}${at}`, { waitUntil: 'load' });
    const file = path.join(OUT, `${language}-${width}-${name}.png`);
    await page.screenshot({ path: file, fullPage: true });
    taken.push({ name, file });
  }
  await drawSheet(page, { taken, width, out: path.join(OUT, `sheet-${language}-${width}-${colorScheme}`) });
  await context.close();
}
