// A merchant reads the store's proof of reserves, downloads it, and verifies it with the program of the documentation and the published keys.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { asOperator, newMerchant, otherPage, seriousFaults } from './console';
import { ROOT } from './http-client';
import { expect, test } from './story';

const VERIFY = path.join(ROOT, 'docs/snippets/verify-reserves.mjs');

test('a merchant downloads the proof of reserves and verifies that its balance is part of the total', async ({
  page,
  browser,
  baseURL,
  request,
}) => {
  test.setTimeout(240_000);
  const desk = await otherPage(browser, baseURL as string);
  await asOperator(desk);
  const { merchant, store } = await newMerchant(page, desk, baseURL as string);
  const { id, url } = await merchant.create();
  await merchant.pay(id);
  const statusOf = async () => ((await (await fetch(`${url}/status`)).json()) as { status: string }).status;
  await expect.poll(statusOf).toBe('COMPLETED');

  await desk.goto('/operator/treasury/reserves');
  await desk.getByRole('button', { name: 'Sign a proof now' }).click();
  await desk.getByRole('dialog').getByRole('button', { name: 'Sign a proof now' }).click();
  await expect(desk.getByText('The worker signs a proof within a few minutes.')).toBeVisible();
  expect(await seriousFaults(desk)).toEqual([]);

  await page.goto(`/dashboard/${store.id}/test/balances`);
  await page.getByRole('link', { name: 'Proof of reserves' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Proof of reserves' })).toBeVisible();
  const own = page.getByRole('row').filter({ hasText: 'USDT · BNB Smart Chain' });
  await expect(async () => {
    await page.reload();
    await expect(own.getByRole('cell').nth(2)).toHaveText('12.34 USDT', { timeout: 1000 });
  }).toPass();
  await expect(own).toContainText('Covered');
  expect(await seriousFaults(page)).toEqual([]);

  const directory = mkdtempSync(path.join(tmpdir(), 'reserves-'));
  const [proof, keys, altered] = ['proof.json', 'keys.json', 'altered.json'].map((name) => path.join(directory, name));
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download the proof' }).first().click();
  await (await download).saveAs(proof as string);
  writeFileSync(keys as string, await (await request.get('/reserves-keys.json')).text());
  const verify = (file: string): string =>
    execFileSync(process.execPath, [VERIFY, file, keys as string], { encoding: 'utf8', stdio: 'pipe' });
  expect(verify(proof as string)).toMatch(new RegExp(`^Valid: ${store.id}, test, `));
  expect(verify(proof as string)).toMatch(
    /USDT on bsc: yours 12340000000000000000, owed to all \d+, held \d+ at block \d+/,
  );
  const document = readFileSync(proof as string, 'utf8');
  writeFileSync(
    altered as string,
    document.replace('"available": "12340000000000000000"', '"available": "12350000000000000000"'),
  );
  expect(() => verify(altered as string)).toThrow(/the shares are not your balance/);
});
