// A customer with a browser wallet pays without leaving the page; one story per family, and the possible errors.

import type { Page } from '@playwright/test';
import { violationsOf } from './axe';
import { expect, test } from './story';
import { EVM_WALLET, injectEvmWallet } from './wallet-evm';
import { injectSolanaWallet, SOLANA_WALLET } from './wallet-solana';
import { injectTronWallet, TRON_WALLET } from './wallet-tron';

const stage = (name: string) => `[data-stage="${name}"]`;
const said = (page: Page, state: string) => page.locator(`[data-wallet="${state}"]`);
const payWith = (page: Page, wallet: string) => page.getByRole('button', { name: new RegExp(`Pay with .?${wallet}`) });
const COIN = 10n ** 18n;

test('with an EVM wallet on another chain, the customer switches, pays, and sees it become paid', async ({
  page,
  merchant,
}) => {
  const asked = await injectEvmWallet(page, { on: 'ethereum', knows: ['ethereum', 'bsc'], tokens: 20n, coin: COIN });
  const session = await merchant.create();
  await page.goto(`${session.url}?method=bsc-USDT`);
  await payWith(page, EVM_WALLET).click();
  await expect(said(page, 'sent').or(page.locator(stage('paid')))).toBeVisible();
  await expect(page.locator(stage('paid'))).toBeVisible();
  expect(asked).toContain('wallet_switchEthereumChain');
  expect(asked.filter((method) => method === 'eth_sendTransaction')).toHaveLength(1);
});

test('with a TRON wallet the customer pays and sees it become paid', async ({ page, merchant }) => {
  await injectTronWallet(page);
  const session = await merchant.create();
  await page.goto(`${session.url}?method=tron-USDT`);
  await payWith(page, TRON_WALLET).click();
  await expect(page.locator(stage('paid'))).toBeVisible();
});

test('with a Solana wallet the customer pays and sees it become paid, and the transaction carries the reference', async ({
  page,
  merchant,
}) => {
  const { sent } = await injectSolanaWallet(page);
  const session = await merchant.create();
  await page.goto(`${session.url}?method=solana-USDT`);
  const link = await page.getByRole('link', { name: 'Open in wallet' }).getAttribute('href');
  await payWith(page, SOLANA_WALLET).click();
  await expect(page.locator(stage('paid'))).toBeVisible();
  const { base58 } = await import('@scure/base');
  const reference = base58.decode(/reference=(\w+)/.exec(link ?? '')?.[1] ?? '');
  expect(sent).toHaveLength(1);
  expect(Buffer.from(sent[0]!).includes(Buffer.from(reference))).toBe(true);
});

test('a customer who declines sees that nothing was sent, and can try again', async ({ page, merchant }) => {
  await injectEvmWallet(page, { on: 'bsc', knows: ['bsc'], tokens: 20n, coin: COIN, rejects: 'eth_sendTransaction' });
  await injectTronWallet(page, { rejects: true });
  await injectSolanaWallet(page, { rejects: true });
  const session = await merchant.create();
  for (const [method, wallet] of [
    ['bsc-USDT', EVM_WALLET],
    ['tron-USDT', TRON_WALLET],
    ['solana-USDT', SOLANA_WALLET],
  ] as const) {
    await page.goto(`${session.url}?method=${method}`);
    await payWith(page, wallet).click();
    await expect(said(page, 'failed')).toContainText('You declined in');
    await expect(said(page, 'failed')).toContainText('Nothing was sent');
    await expect(payWith(page, wallet)).toBeEnabled();
  }
  const violations = await violationsOf(page);
  expect(violations.map(({ id }) => id)).toEqual([]);
});

test('an account with too few tokens shows how many it has', async ({ page, merchant }) => {
  await injectEvmWallet(page, { on: 'bsc', knows: ['bsc'], tokens: 3n, coin: COIN });
  await injectTronWallet(page, { funded: false });
  await injectSolanaWallet(page, { funded: false });
  const session = await merchant.create();
  for (const [method, wallet, balance] of [
    ['bsc-USDT', EVM_WALLET, '3.00'],
    ['tron-USDT', TRON_WALLET, '0.00'],
    ['solana-USDT', SOLANA_WALLET, '0.00'],
  ] as const) {
    await page.goto(`${session.url}?method=${method}`);
    await payWith(page, wallet).click();
    await expect(said(page, 'failed')).toContainText(`This account has only ${balance} USDT`);
  }
});

test('an account without the network’s coin for the fee shows which coin it needs', async ({ page, merchant }) => {
  const asked = await injectEvmWallet(page, { on: 'bsc', knows: ['bsc'], tokens: 20n, coin: 0n });
  const session = await merchant.create();
  await page.goto(`${session.url}?method=bsc-USDT`);
  await payWith(page, EVM_WALLET).click();
  await expect(said(page, 'failed')).toContainText('too little BNB');
  expect(asked).not.toContain('eth_sendTransaction');
});

test('a wallet without the network says so, and a wallet of another network leads to its own', async ({
  page,
  merchant,
}) => {
  await injectEvmWallet(page, { on: 'ethereum', knows: ['ethereum'], tokens: 20n, coin: COIN });
  const session = await merchant.create();
  await page.goto(`${session.url}?method=bsc-USDT`);
  await payWith(page, EVM_WALLET).click();
  await expect(said(page, 'failed')).toContainText('could not be switched to BNB Smart Chain');
  await page.goto(`${session.url}?method=tron-USDT`);
  await expect(payWith(page, EVM_WALLET)).toHaveCount(0);
  await page.getByRole('link', { name: /Pay with it on/ }).click();
  await expect(payWith(page, EVM_WALLET)).toBeVisible();
});

test('an outdated page allows no second payment', async ({ page, merchant }) => {
  const asked = await injectEvmWallet(page, { on: 'bsc', knows: ['bsc'], tokens: 20n, coin: COIN });
  const session = await merchant.create();
  await page.goto(`${session.url}?method=bsc-USDT`);
  await expect(payWith(page, EVM_WALLET)).toBeVisible();
  // Until the button is pressed, the page does not learn of the payment made elsewhere.
  let press = (): void => {};
  const pressed = new Promise<void>((resolve) => (press = resolve));
  await page.route('**/status', async (route) => {
    await pressed;
    await route.continue();
  });
  await merchant.pay(session.id);
  await expect
    .poll(
      async () => ((await (await page.request.get(`${session.url}/status`)).json()) as { methods: unknown[] }).methods,
    )
    .toEqual([]);
  const button = payWith(page, EVM_WALLET);
  await button.click();
  press();
  await expect(page.locator(stage('paid'))).toBeVisible();
  expect(asked).not.toContain('eth_sendTransaction');
});

test('after a reload the page still knows that this browser sent the payment', async ({ page, merchant }) => {
  await injectEvmWallet(page, { on: 'ethereum', knows: ['ethereum'], tokens: 20n, coin: COIN });
  const session = await merchant.create();
  await page.goto(`${session.url}?method=ethereum-USDT`);
  // The network is slow to include the payment.
  await page.evaluate(
    (key) => sessionStorage.setItem(key, 'sent Test EVM Wallet'),
    `sent ${session.id} ethereum USDT 12340000`,
  );
  await page.reload();
  await expect(said(page, 'sent')).toContainText('Please do not pay again');
  await expect(payWith(page, EVM_WALLET)).toHaveCount(0);
});

test('no script of a wallet is loaded before its button is pressed', async ({ page, merchant }) => {
  await injectEvmWallet(page, { on: 'bsc', knows: ['bsc'], tokens: 20n, coin: COIN, rejects: 'eth_requestAccounts' });
  const session = await merchant.create();
  await page.goto(`${session.url}?method=bsc-USDT`, { waitUntil: 'networkidle' });
  await expect(payWith(page, EVM_WALLET)).toBeVisible();
  const scripts: string[] = [];
  page.on('request', (request) => {
    if (request.resourceType() === 'script') scripts.push(request.url());
  });
  await payWith(page, EVM_WALLET).click();
  await expect(said(page, 'failed')).toContainText('You declined in');
  expect(scripts.length).toBeGreaterThan(0);
});
