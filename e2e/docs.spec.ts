// The documentation as a merchant's developer uses it: with a keyboard, on a phone, without scripts, and up to a real
// API call.

import { execFile, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Page } from '@playwright/test';
import { violationsOf } from './axe';
import { expect, test } from './story';

const PATHS = ['/docs', '/docs/quick-start', '/docs/signing', '/docs/webhooks', '/docs/limits', '/docs/reference'];
type Sandbox = { stores: { api_key: string; api_secret: string; webhook_secret: string }[] };
const execute = promisify(execFile);

const store = () => {
  const text = readFileSync(process.env.SANDBOX_JSON ?? '.data/sandbox.json', 'utf8');
  return (JSON.parse(text) as Sandbox).stores[0]!;
};

/** Every rule that the page breaks, whatever its severity. */
async function faultsOf(page: Page): Promise<string[]> {
  const violations = await violationsOf(page);
  return violations.map(({ id, impact }) => `${impact}: ${id}`);
}

for (const place of PATHS)
  for (const colorScheme of ['light', 'dark'] as const)
    test(`${place} fits phones and breaks no rule of accessibility, ${colorScheme}`, async ({ page }) => {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      for (const width of [320, 1280]) {
        await page.setViewportSize({ width, height: 900 });
        await page.goto(place);
        await page.evaluate(() => {
          for (const one of document.querySelectorAll('details')) one.open = true;
        });
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
        expect(overflow).toBeLessThanOrEqual(0);
        expect(await faultsOf(page)).toEqual([]);
      }
    });

test('every link of every guide leads to a page, and every anchor to a place on it', async ({ page, request }) => {
  await page.goto('/docs');
  const start = await page
    .locator('.docs-list a')
    .evaluateAll((all) => all.map((one) => (one as HTMLAnchorElement).href));
  expect(start.length).toBeGreaterThan(8);
  const links = new Set<string>();
  for (const address of start) {
    expect((await page.goto(address))?.status()).toBe(200);
    const found = await page.locator('main a').evaluateAll((all) => all.map((one) => (one as HTMLAnchorElement).href));
    for (const link of found) if (link.startsWith(new URL(address).origin)) links.add(link);
  }
  expect(links.size).toBeGreaterThan(30);
  const texts = new Map<string, string>();
  for (const link of links) {
    const [address = '', anchor] = link.split('#');
    if (!texts.has(address)) {
      const answer = await request.get(address);
      expect(`${answer.status()} ${address}`).toBe(`200 ${address}`);
      texts.set(address, await answer.text());
    }
    if (anchor !== undefined) expect(texts.get(address)).toContain(`id="${anchor}"`);
  }
});

test('the code of the quick start alone leads to a verified webhook', async ({ page, merchant }) => {
  await page.goto('/docs/quick-start');
  const folder = mkdtempSync(path.join(tmpdir(), 'docs-'));
  const save = async (heading: string, name: string): Promise<string> => {
    const section = page.locator('section', { has: page.getByRole('heading', { name: heading, exact: true }) });
    const file = path.join(folder, name);
    // The block that a reader sees before choosing a language.
    writeFileSync(file, (await section.locator('pre:visible').first().textContent()) ?? '');
    return file;
  };
  const { api_key, api_secret, webhook_secret } = store();
  const settings = {
    STABLETILL_URL: new URL(page.url()).origin,
    STABLETILL_API_KEY: api_key,
    STABLETILL_API_SECRET: api_secret,
    STABLETILL_WEBHOOK_SECRET: webhook_secret,
    // Below the system's port range for outgoing connections.
    PORT: '4011',
    // Playwright sets FORCE_COLOR for its child processes.
    FORCE_COLOR: '0',
  };
  const env = { ...process.env, ...settings };
  const start = (command: string, args: readonly string[]) => {
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
    const said = { child, text: '' };
    child.stdout.on('data', (chunk: Buffer) => (said.text += chunk.toString()));
    return said;
  };
  await execute('sh', [await save('Install the SDK', 'install.sh')], { cwd: folder });
  const command = readFileSync(await save('Forward events to your machine', 'listen.sh'), 'utf8');
  const listener = start('sh', ['-c', command.replace('8080', settings.PORT)]);
  const receiver = start(process.execPath, [await save('Receive the webhook', 'webhook.mjs')]);
  try {
    await expect.poll(() => listener.text, { timeout: 30_000 }).toContain('are posted to');
    const { stdout } = await execute(process.execPath, [await save('Create a session', 'quick-start.mjs')], { env });
    await merchant.pay(/\/pay\/(cs_test_\w+)/.exec(stdout)?.[1] ?? '');
    await expect.poll(() => listener.text, { timeout: 30_000 }).toMatch(/^payment\.completed evt_\d+ -> 200/m);
    expect(receiver.text).toContain('payment.completed order-');
  } finally {
    for (const { child } of [listener, receiver]) if (child.pid) process.kill(-child.pid);
    rmSync(folder, { recursive: true });
  }
});

test('the calculator signs the typed request in the browser, and nothing leaves the page', async ({ page }) => {
  await page.goto('/docs/signing');
  const requests: string[] = [];
  const result = page.locator('[data-result="signature"]');
  await expect(result).toHaveText(/^[0-9a-f]{64}$/);
  page.on('request', (one) => requests.push(one.url()));
  await page.getByLabel('API secret').fill('as_test_mine');
  await page.getByLabel('Timestamp').fill('1700000001');
  await page.getByLabel('Nonce').fill('n-1');
  await page.getByLabel('Body').fill('{"name":"Кофе"}');
  await expect(page.locator('[data-result="sign-string"]')).toHaveText('1700000001.n-1.{"name":"Кофе"}');
  const right = createHmac('sha256', 'as_test_mine').update('1700000001.n-1.{"name":"Кофе"}').digest('hex');
  await expect(result).toHaveText(right);
  await page.getByRole('button', { name: 'Use the current time' }).press('Enter');
  await expect(page.getByLabel('Timestamp')).not.toHaveValue('1700000001');
  await expect(result).not.toHaveText(right);
  expect(requests).toEqual([]);
});

test('the language of the code is chosen with the arrow keys, and without scripts', async ({ browser, baseURL }) => {
  const context = await browser.newContext({ javaScriptEnabled: false, ...(baseURL ? { baseURL } : {}) });
  const page = await context.newPage();
  await page.goto('/docs/quick-start');
  const code = page
    .locator('section', { has: page.getByRole('heading', { name: 'Create a session', exact: true }) })
    .locator('.docs-snippet');
  const inNode = code.getByText("import { Stabletill } from '@stabletill/sdk'");
  await expect(inNode).toBeVisible();
  await code.getByRole('radio', { name: 'Node' }).focus();
  await page.keyboard.press('ArrowRight');
  await expect(code.getByRole('radio', { name: 'Python' })).toBeChecked();
  await expect(code.getByText('import hashlib')).toBeVisible();
  await expect(inNode).toBeHidden();
  await expect(page.locator('.docs-form')).toBeHidden();
  await context.close();
});

test('a language chosen for one sample applies to every sample, on this page and the next', async ({ page }) => {
  await page.goto('/docs/quick-start');
  const tabs = page.locator('.docs-snippet');
  const chosen = () =>
    tabs.locator('input:checked').evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value));
  expect(await chosen()).toEqual(['node', 'node']);
  await tabs.first().getByRole('radio', { name: 'Python' }).check({ force: true });
  await expect.poll(chosen).toEqual(['python', 'python']);
  await page.goto('/docs/reference');
  expect(new Set(await chosen())).toEqual(new Set(['python']));
  // curl cannot receive webhooks, so the webhook guide shows the first language.
  await page.goto('/docs/quick-start');
  await tabs.last().getByRole('radio', { name: 'curl' }).check({ force: true });
  await page.goto('/docs/webhooks');
  expect(new Set(await chosen())).toEqual(new Set(['node']));
});

test('an operation shows what to send and a way to try it before its answers, which are folded', async ({ page }) => {
  await page.goto('/docs/reference#createSession');
  const operation = page.locator('#createSession');
  const headings = await operation.locator('h3').allTextContents();
  expect(headings).toEqual(['Parameters', 'Request body', 'Code', 'Try it', 'Responses']);
  await expect(operation.locator('details.docs-fold[open]')).toHaveCount(0);
  const answer = operation.locator('details.docs-fold', { hasText: 'Response 200' }).first();
  await answer.locator('summary').first().click();
  await expect(answer).toHaveAttribute('open', '');
});

test('a call is tried from the reference with a test key, signed in the browser', async ({ page }) => {
  await page.goto('/docs/reference');
  const { api_key, api_secret } = store();
  const operation = page.locator('#createSession');
  await operation.locator('summary').first().press('Enter');
  await expect(operation.getByRole('button', { name: 'Send' })).toBeDisabled();
  await page.getByLabel('API key (ak_test_…)').fill('ak_live_0123456789012345678901');
  await page.getByLabel('API secret (as_test_…)').fill(api_secret);
  await expect(page.getByText('Only test keys work here')).toBeVisible();
  await expect(operation.getByRole('button', { name: 'Send' })).toBeDisabled();
  await page.getByLabel('API key (ak_test_…)').fill(api_key);
  const order = `docs-${Date.now()}`;
  await operation
    .getByRole('textbox', { name: 'Body' })
    .fill(JSON.stringify({ amount: 1250, currency: 'USDT', order_id: order }));
  await operation.getByRole('button', { name: 'Send' }).click();
  await expect(operation.locator('[data-answer]').getByText('Response 200')).toBeVisible();
  const answer = operation.locator('[data-answer]').locator('code');
  const made = JSON.parse((await answer.textContent()) ?? '') as { id: string; metadata: { order_id: string } };
  expect(made.metadata.order_id).toBe(order);

  const read = page.locator('#readSession');
  await read.locator('summary').first().click();
  await expect(read.getByRole('button', { name: 'Send' })).toBeDisabled();
  await read.getByLabel('session_id').fill(made.id);
  await read.getByRole('button', { name: 'Send' }).click();
  await expect(read.locator('[data-answer]')).toContainText('PENDING');

  const list = page.locator('#listSessions');
  await list.locator('summary').first().click();
  await list.getByLabel('order_id').fill(order);
  await list.getByRole('button', { name: 'Send' }).click();
  await expect(list.locator('[data-answer]')).toContainText(made.id);

  await operation.getByRole('button', { name: 'Send' }).click();
  await expect(operation.getByText('Response 400')).toBeVisible();
  await expect(operation.locator('[data-answer]')).toContainText('DUPLICATE_ORDER_ID');
  await page.reload();
  await expect(page.getByLabel('API key (ak_test_…)')).toHaveValue(api_key);
  await page.getByRole('button', { name: 'Remove the keys' }).click();
  await page.reload();
  await expect(page.getByLabel('API key (ak_test_…)')).toHaveValue('');
});

test('the OpenAPI document describes every operation that the reference shows', async ({ page, request }) => {
  const answer = await request.get('/openapi.json');
  expect(answer.headers()['content-type']).toContain('application/json');
  const { openapi, paths } = (await answer.json()) as {
    openapi: string;
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  expect(openapi).toMatch(/^3\.1\./);
  const ids = Object.values(paths).flatMap((item) => Object.values(item).map(({ operationId }) => operationId));
  await page.goto('/docs/reference');
  for (const id of ids) await expect(page.locator(`#${id}`)).toHaveCount(1);
  expect((await request.post('/openapi.json')).status()).toBe(405);
});
