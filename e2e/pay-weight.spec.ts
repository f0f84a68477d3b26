// The weight and load time of the hosted page, measured as on a slow phone and printed. The bounds are for an
// idle machine; on a busy one, other programs' share is measured and granted.

import { errors, type Page } from '@playwright/test';
import { expect, test } from './story';

const KB = 1000;
const HTML_KB = 16;
/** Limits for everything sent, and for the number of requests. */
const [WHOLE_KB, MAX_REQUESTS] = [40, 8];
/** A slow phone: a quarter of this machine's speed, 1.6 Mbit/s with 75 ms to the server and back. */
const SLOW = { cpu: 4, bitsPerSecond: 1_600_000, latency: 75 };
const [SEEN_MS, LIVE_MS, LONG_TASK_MS, FIRST_BYTE_MS] = [1000, 3000, 200, 50];
/** The best of this many rounds counts; of more when another program used the machine. */
const [ROUNDS, MAX_ROUNDS] = [3, 6];
/** In hundreds of runs, Chromium's slow network once stalled a page for ever. One such round is repeated. */
const [ROUND_LIMIT_MS, MAX_STALLED] = [30_000, 1];

type Measures = {
  readonly html: number;
  readonly scripts: number;
  readonly styles: number;
  readonly whole: number;
  readonly requests: number;
  readonly seen: number;
  readonly live: number;
  readonly shift: number;
  readonly longest: number;
};
type Entry = PerformanceEntry & { readonly value?: number };
type Observed = { shifts: number[]; tasks: number[] };

/** How long this process waits for the processor: 1 on an idle machine, 3 where it gets a third of its need. */
function crowding(): number {
  const [start, own] = [performance.now(), process.cpuUsage()];
  while (performance.now() - start < 300);
  const { user, system } = process.cpuUsage(own);
  return Math.max(1, (performance.now() - start) / ((user + system) / 1000));
}

/** Rejects as Playwright does when the work takes too long. */
function within<T>(milliseconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new errors.TimeoutError(`${milliseconds} ms passed`)), milliseconds);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Opens the page as a slow phone would and waits until it has requested the status. */
async function measure(page: Page, url: string): Promise<Measures> {
  await page.addInitScript(() => {
    const seen: Observed = { shifts: [], tasks: [] };
    (globalThis as unknown as { observed: Observed }).observed = seen;
    const observe = (type: string, take: (entry: Entry) => void) =>
      new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
    observe('layout-shift', (entry) => seen.shifts.push(entry.value ?? 0));
    observe('longtask', (entry) => seen.tasks.push(entry.duration));
  });
  page.setDefaultTimeout(ROUND_LIMIT_MS);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.setCacheDisabled', { cacheDisabled: true });
  const bytes = SLOW.bitsPerSecond / 8;
  await devtools.send('Network.emulateNetworkConditions', {
    ...{ offline: false, latency: SLOW.latency, downloadThroughput: bytes, uploadThroughput: bytes },
  });
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOW.cpu });
  const status = page.waitForResponse((answer) => answer.url().endsWith('/status'));
  // In parallel: where the network stalls, both give up.
  const [answer] = await Promise.all([status, page.goto(url)]);
  await within(ROUND_LIMIT_MS, answer.finished());
  await page.waitForLoadState('networkidle');
  return page.evaluate(() => {
    const resources = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
    const [document] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
    const [painted] = performance.getEntriesByName('first-contentful-paint');
    const weight = (pattern: RegExp) =>
      resources.filter(({ name }) => pattern.test(name)).reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
    const { shifts, tasks } = (globalThis as unknown as { observed: Observed }).observed;
    return {
      html: document?.encodedBodySize ?? 0,
      scripts: weight(/\.js(\?|$)/),
      styles: weight(/\.css(\?|$)/),
      whole: (document?.encodedBodySize ?? 0) + weight(/./),
      requests: 1 + resources.length,
      seen: painted?.startTime ?? 0,
      live: resources.find(({ name }) => name.endsWith('/status'))?.responseEnd ?? 0,
      shift: shifts.reduce((sum, one) => sum + one, 0),
      longest: Math.max(0, ...tasks),
    };
  });
}

test('on a slow phone the page is light, readable soon and interactive, and its layout does not shift', async ({
  browser,
  baseURL,
  merchant,
}) => {
  const session = await merchant.create({ currency: 'USD' });
  const rounds: Measures[] = [];
  const crowded: number[] = [];
  const best = (of: (one: Measures) => number) => Math.min(...rounds.map(of));
  const isQuick = () =>
    best((one) => one.seen / SEEN_MS) < 1 &&
    best((one) => one.live / LIVE_MS) < 1 &&
    best((one) => one.longest / LONG_TASK_MS) < 1;
  let stalled = 0;
  while (rounds.length < ROUNDS || (rounds.length < MAX_ROUNDS && !isQuick())) {
    const context = await browser.newContext({
      viewport: { width: 360, height: 740 },
      locale: 'en-US',
      ...(baseURL ? { baseURL } : {}),
    });
    crowded.push(crowding());
    const measured = await measure(await context.newPage(), session.url).catch((error: unknown) => {
      if (!(error instanceof errors.TimeoutError) || ++stalled > MAX_STALLED) throw error;
      console.log(`a round stalled: ${error.message}`);
      return null;
    });
    if (measured) rounds.push(measured);
    crowded.push(crowding());
    await context.close();
  }
  const granted = Math.max(...crowded);
  const [html, scripts, styles] = [best((one) => one.html), best((one) => one.scripts), best((one) => one.styles)];
  const [whole, requests] = [best((one) => one.whole), Math.max(...rounds.map((one) => one.requests))];
  const [seen, live] = [best((one) => one.seen), best((one) => one.live)];
  const [longest, shift] = [best((one) => one.longest), Math.max(...rounds.map((one) => one.shift))];
  console.log(
    [
      `the page, gzipped: HTML ${(html / KB).toFixed(1)} kB, styles ${(styles / KB).toFixed(1)} kB,`,
      `scripts ${(scripts / KB).toFixed(1)} kB, all ${requests} requests ${(whole / KB).toFixed(1)} kB;`,
      `on a slow phone: readable after ${seen.toFixed(0)} ms, alive after ${live.toFixed(0)} ms,`,
      `longest task ${longest.toFixed(0)} ms, layout shift ${shift.toFixed(4)}; crowding ${granted.toFixed(1)}`,
    ].join(' '),
  );
  expect(html).toBeLessThan(HTML_KB * KB);
  expect(whole).toBeLessThan(WHOLE_KB * KB);
  expect(requests).toBeLessThanOrEqual(MAX_REQUESTS);
  expect(shift).toBe(0);
  expect(seen).toBeLessThan(SEEN_MS * granted);
  expect(live).toBeLessThan(LIVE_MS * granted);
  expect(longest).toBeLessThan(LONG_TASK_MS * granted);
});

test('the first byte comes within 50 ms at the median', async ({ merchant }) => {
  const session = await merchant.create({ currency: 'USD' });
  const once = async (): Promise<number> => {
    const start = performance.now();
    const answer = await fetch(session.url);
    const first = performance.now() - start;
    await answer.arrayBuffer();
    return first;
  };
  const median = async (): Promise<number> => {
    const times: number[] = [];
    for (let time = 0; time < 21; time++) times.push(await once());
    return times.toSorted((a, b) => a - b)[10] as number;
  };
  await once();
  const medians: number[] = [];
  const crowded: number[] = [];
  while (medians.length < MAX_ROUNDS && (medians.length === 0 || Math.min(...medians) > FIRST_BYTE_MS)) {
    crowded.push(crowding());
    medians.push(await median());
    crowded.push(crowding());
  }
  const granted = Math.max(...crowded);
  console.log(`first byte at the median: ${Math.min(...medians).toFixed(1)} ms; crowding ${granted.toFixed(1)}`);
  expect(Math.min(...medians)).toBeLessThan(FIRST_BYTE_MS * granted);
});

test('a hidden page does not poll, and polls at once when it becomes visible', async ({ page, merchant }) => {
  const session = await merchant.create();
  let polls = 0;
  page.on('request', (request) => {
    if (request.url().endsWith('/status')) polls += 1;
  });
  await page.clock.install();
  await page.goto(session.url);
  await expect.poll(() => polls).toBeGreaterThan(0);
  const turn = (state: 'hidden' | 'visible') =>
    page.evaluate((now) => {
      Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => now });
      document.dispatchEvent(new Event('visibilitychange'));
    }, state);
  await turn('hidden');
  const before = polls;
  await page.clock.runFor(60_000);
  expect(polls - before).toBeLessThanOrEqual(1);
  await turn('visible');
  await page.clock.runFor(5000);
  await expect.poll(() => polls).toBeGreaterThan(before);
});

test('a device clock that is wrong by a day does not change the time left', async ({ page, merchant }) => {
  const session = await merchant.create({ expires_in: 600 });
  await page.addInitScript(() => {
    const real = Date.now.bind(Date);
    Date.now = () => real() + 86_400_000;
  });
  await page.goto(session.url);
  await expect(page.getByRole('timer')).toHaveText(/^0?9:[0-5]\d$/);
});
