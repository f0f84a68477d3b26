// Pictures of the pages about money: the operator's Treasury, costs, fees, sweeps, screening and proofs, and a store's balances, payouts and
// reserves. They are kept in docs/pictures, so that a change of these pages can be compared with what they were.

import path from 'node:path';
import fs from 'node:fs';
import os from 'node:os';
import { STORE } from '../bench/database.mjs';
import { PAID_PAYOUT } from './console-rows.mjs';
import { drawSheet } from './sheet.mjs';

const OUT = path.join(import.meta.dirname, '../../docs/pictures');
/** Who sees the page, its address, and which part of it is taken where that is not all. */
const PAGES = {
  treasury: ['operator', '/operator/treasury?environment=test'],
  network: ['operator', '/operator/treasury?environment=test', 'section[aria-label] >> nth=0'],
  levels: ['operator', '/operator/treasury?environment=test', '#levels'],
  costs: ['operator', '/operator/treasury/costs?environment=test'],
  fees: ['operator', '/operator/treasury/fees?environment=test'],
  sweeps: ['operator', '/operator/treasury/sweeps?environment=test'],
  // The first sweep of the rows.
  sweep: ['operator', '/operator/treasury/sweeps/1'],
  'store-fees': ['operator', `/operator/stores/${STORE}`, '#payout-fees'],
  screening: ['operator', '/operator/screening'],
  proofs: ['operator', '/operator/treasury/reserves?environment=test'],
  balances: ['merchant', `/dashboard/${STORE}/test/balances`],
  payouts: ['merchant', `/dashboard/${STORE}/test/payouts`],
  payout: ['merchant', `/dashboard/${STORE}/test/payouts/${PAID_PAYOUT}`],
  countries: ['merchant', `/dashboard/${STORE}/settings`, 'section:has(h2:text-is("Tokens by country"))'],
  reserves: ['merchant', `/dashboard/${STORE}/test/balances/reserves`],
  stop: ['merchant', `/payout-addresses/stop/${'A'.repeat(43)}`],
};
const WIDTHS = { phone: 360, desktop: 1280 };
/** The page Treasury repeats itself for each network. A longer sheet would only be a larger file. */
const LONGEST = 1500;

/** The names of the pages. */
export const CONSOLE = Object.keys(PAGES);

/** Writes a sheet for each width and theme. `cookies`: of the login of each user. */
export async function takeConsole(browser, { origin, cookies }) {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-pictures-'));
  for (const [device, width] of Object.entries(WIDTHS))
    for (const colorScheme of ['light', 'dark']) {
      const context = await browser.newContext({ viewport: { width, height: 740 }, locale: 'en', colorScheme });
      const page = await context.newPage();
      const taken = [];
      for (const [name, [who, at, part]] of Object.entries(PAGES)) {
        await context.addCookies([{ ...cookies[who], url: origin }]);
        const answer = await page.goto(`${origin}${at}`, { waitUntil: 'load' });
        if (!answer?.ok() || !page.url().endsWith(at)) throw new Error(`${name}: ${answer?.status()} ${page.url()}`);
        const file = path.join(directory, `${name}.png`);
        const clip = part ? await page.locator(part).boundingBox() : null;
        await page.screenshot({ path: file, fullPage: true, ...(clip && { clip }) });
        taken.push({ name, file });
      }
      await drawSheet(page, {
        taken,
        width,
        out: path.join(OUT, `money-${device}-${colorScheme}`),
        longest: LONGEST,
        type: 'jpeg',
      });
      await context.close();
    }
  fs.rmSync(directory, { recursive: true });
}
