// Chromium that reports when a page is usable: React handles its buttons, and the last task over 50 ms before a second
// of quiet has ended.

import { chromium } from 'playwright';
import { installBrowser } from '../../test/install.mjs';

const QUIET_MS = 1000;
const PAGE_LIMIT_MS = 30_000;

export async function openBrowser() {
  const browser = await chromium.launch({ executablePath: installBrowser() });
  return { visitor: (cookie) => openVisitor(browser, cookie), close: () => browser.close() };
}

/** A visitor with a separate cache; call it with an address to measure one full load. */
async function openVisitor(browser, cookie) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  await context.addCookies([cookie]);
  const page = await context.newPage();
  page.setDefaultTimeout(PAGE_LIMIT_MS);
  await page.addInitScript(watch);
  const visit = async (url) => {
    const answer = await page.goto(url, { waitUntil: 'load' });
    if (answer?.status() !== 200 || page.url() !== url)
      throw new Error(`${url} answered ${answer?.status()} and led to ${page.url()}`);
    await page.waitForFunction((quiet) => globalThis.bench.isQuiet(quiet), QUIET_MS, { polling: 100 });
    return page.evaluate(() => globalThis.bench.result());
  };
  visit.end = () => context.close();
  return visit;
}

/** Runs in the page before the page's own scripts. */
function watch() {
  const seen = { hydrated: null, lastTask: 0, shift: 0 };
  const observe = (type, take) =>
    new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
  observe('longtask', ({ startTime, duration }) => (seen.lastTask = Math.max(seen.lastTask, startTime + duration)));
  observe('layout-shift', ({ value, hadRecentInput }) => (seen.shift += hadRecentInput ? 0 : value));
  const check = () => {
    const buttons = [...document.querySelectorAll('button')];
    const isOurs = (element) => Object.keys(element).some((key) => key.startsWith('__reactProps$'));
    if (buttons.length > 0 && document.readyState !== 'loading' && buttons.every(isOurs))
      seen.hydrated = performance.now();
    else setTimeout(check, 5);
  };
  check();
  globalThis.bench = {
    isQuiet: (quiet) => seen.hydrated !== null && performance.now() - Math.max(seen.hydrated, seen.lastTask) >= quiet,
    result() {
      const [navigation] = performance.getEntriesByType('navigation');
      return {
        firstByte: navigation.responseStart,
        usable: Math.max(seen.hydrated, seen.lastTask),
        shift: seen.shift,
      };
    },
  };
}
