// "I have paid, but it does not show": a customer pastes a transaction and sees its status.

import type { Page } from '@playwright/test';
import type { Session } from './merchant';
import { seriousViolationsOf } from './axe';
import { expect, test } from './story';

const QUESTION = 'I have paid, but it does not show';
const verdict = (name: string) => `[data-verdict="${name}"]`;

async function seriousFaults(page: Page): Promise<string[]> {
  const violations = await seriousViolationsOf(page);
  return violations.map(({ id }) => id);
}

/** The transaction hash of the sandbox wallet's payment. */
async function hashOf(paid: Promise<unknown>): Promise<string> {
  const { transaction_hash } = (await paid) as { transaction_hash: string };
  expect(typeof transaction_hash).toBe('string');
  return transaction_hash;
}

async function find(page: Page, text: string): Promise<void> {
  const field = page.getByLabel('Transaction hash');
  if (!(await field.isVisible())) await page.getByText(QUESTION).click();
  // When a network did not respond in time, the page says so and the test retries.
  await expect(async () => {
    await field.fill(text);
    await page.getByRole('button', { name: 'Look it up' }).click();
    await page.waitForURL((url) => url.searchParams.get('transaction') === text);
    await expect(page.locator('[data-verdict]')).toBeVisible();
    await expect(page.locator(verdict('unanswered'))).toHaveCount(0);
  }).toPass();
}

test('a customer pastes an explorer’s link and sees that the payment counts and what is still missing', async ({
  page,
  merchant,
}) => {
  const session = await merchant.create();
  const hash = await hashOf(merchant.pay(session.id, { amount: 500 }));
  await page.goto(session.url);
  await expect(page.getByText('Confirmed', { exact: true })).toBeVisible();
  await find(page, `https://bscscan.com/tx/${hash}#eventlog`);
  await expect(page.locator(`${verdict('counted')} p`)).toHaveText([
    'This payment counts: 5.00 USDT arrived on BNB Smart Chain.',
    '7.34 USDT is still missing.',
  ]);
  await expect(page).toHaveURL(/transaction=/);
});

test('a payment that is not final yet is found, and the page says when it counts', async ({ page, merchant }) => {
  const session = await merchant.create();
  await page.goto(session.url);
  const hash = await hashOf(merchant.pay(session.id, { network: 'ethereum', amount: 500 }));
  await find(page, hash);
  await expect(page.locator(`${verdict('waiting')}, ${verdict('counted')}`)).toContainText('5.00 USDT');
  await expect(page.locator('[data-stage="pay"]')).toBeVisible();
});

test('the wrong token, another customer’s payment, an unknown hash and an address each get their own answer', async ({
  page,
  merchant,
}) => {
  const [session, other] = [await merchant.create(), await merchant.create()];
  const wrong = await hashOf(merchant.pay(session.id, { scenario: 'wrong_token' }));
  const theirs = await hashOf(merchant.pay(other.id));
  await page.goto(session.url);
  await expect(page.locator('[data-stage="pay"]')).toContainText('It is not lost');
  // The transfer is listed above, so the form is hidden; a link with the query still works.
  await expect(page.getByText(QUESTION)).toHaveCount(0);
  await page.goto(`${session.url}?transaction=${wrong}`);
  await expect(page.locator(verdict('wrong_token'))).toContainText('It is not lost');
  await find(page, theirs);
  await expect(page.locator(verdict('other_address'))).toContainText('does not pay this order');
  await find(page, `0x${'ab'.repeat(32)}`);
  await expect(page.locator(verdict('not_found'))).toContainText('There is no such transaction on');
  await find(page, `0x${'ab'.repeat(20)}`);
  await expect(page.locator(verdict('unreadable'))).toContainText('This is an address');
});

for (const network of ['ethereum', 'bsc', 'tron', 'solana']) {
  test(`on ${network} the finder reads the chain: right, foreign, fake, failed and late payments`, async ({
    request,
    merchant,
  }) => {
    const findByApi = async (session: Session, hash: string) => {
      const answer = await request.get(`${session.url}/find?transaction=${hash}`);
      expect(answer.headers()['cache-control']).toBe('no-store');
      return (await answer.json()) as { verdict: string; network?: string };
    };
    const made = await merchant.create();
    const paid = await hashOf(merchant.pay(made.id, { network, amount: 500 }));
    expect(await findByApi(made, paid)).toMatchObject({
      verdict: expect.stringMatching(/^(waiting|counted)$/),
      network,
    });
    expect(await findByApi(await merchant.create(), paid)).toMatchObject({ verdict: 'other_address', network });
    for (const scenario of ['fake_token', 'failed', 'wrong_token']) {
      const session = await merchant.create();
      const hash = await hashOf(merchant.pay(session.id, { network, scenario }));
      expect(await findByApi(session, hash)).toMatchObject({ verdict: scenario, network });
    }
    const late = await merchant.create();
    const { expires_at } = await merchant.expire(late.id);
    // A block mined in the same second, or started before it, would still be in time.
    await expect.poll(() => Date.now() / 1000, { intervals: [250] }).toBeGreaterThan(expires_at + 2);
    expect(await findByApi(late, await hashOf(merchant.pay(late.id, { network })))).toMatchObject({
      verdict: 'too_late',
      network,
    });
  });
}

test('it works with the keyboard alone and without scripts', async ({ browser, baseURL, merchant }) => {
  const session = await merchant.create();
  const context = await browser.newContext({ javaScriptEnabled: false, ...(baseURL ? { baseURL } : {}) });
  const page = await context.newPage();
  await page.goto(`${session.url}?method=bsc-USDT`);
  await page.getByText(QUESTION).focus();
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  await expect(page.getByLabel('Transaction hash')).toBeFocused();
  await page.keyboard.type('hello');
  await page.keyboard.press('Enter');
  await expect(page.locator(verdict('unreadable'))).toBeVisible();
  await expect(page).toHaveURL(/method=bsc-USDT&transaction=hello#find/);
  await expect(page.getByLabel('Transaction hash')).toHaveValue('hello');
  await expect(page.locator('.amount')).toContainText('12.34 USDT');
  await context.close();
});

for (const language of ['en', 'zh', 'ar'] as const) {
  test(`in ${language} the question and its answer fit phones and have no serious fault of accessibility`, async ({
    page,
    merchant,
  }) => {
    const session = await merchant.create();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      for (const width of [320, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        await page.goto(`${session.url}?transaction=0x${'cd'.repeat(32)}&lang=${language}`);
        await expect(page.locator(verdict('not_found'))).toBeVisible();
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        expect(overflow).toBeLessThanOrEqual(0);
        expect(await seriousFaults(page)).toEqual([]);
      }
    }
  });
}

test('pasted text stays inert', async ({ page, merchant }) => {
  const session = await merchant.create();
  const text = `"><img src=x onerror="document.title='hit'">`;
  await page.goto(`${session.url}?transaction=${encodeURIComponent(text)}`);
  await expect(page.getByLabel('Transaction hash')).toHaveValue(text);
  await expect(page.locator('img')).toHaveCount(0);
  await expect(page).not.toHaveTitle('hit');
});
