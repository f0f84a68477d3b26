// What people make go wrong, on real local chains: each fault does what its page says, hits its own network, and ends when it is undone.
// scripts/start/incidents.test.mts tests the faults of the installation's processes.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { base58 } from '@scure/base';
import { JsonRpcProvider, randomBytes, Wallet } from 'ethers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '@/lib/platform/clock';
import { openLog } from '@/lib/platform/log';
import type { LocalNetwork } from '../chains/local-network';
import { PaymentRefused } from '../chains/payment';
import { startChains, type LocalChains } from '../chains/start';
import { toBase58 } from '../chains/tron/address';
import { LocalRates } from '../rates/source';
import { Receiver } from '../receiver/routes';
import { startServer, type SandboxServer } from '../server';
import { MerchantServer } from '../shop/merchant';
import { Shop } from '../shop/routes';
import { BadDay } from './bad-day';
import { GAME_DAYS } from './game-day';
import type { Installation } from './installation';

const PUBLIC_URL = 'http://127.0.0.1:3000';
const evmAddress = (): string => Wallet.createRandom().address;
const tronAddress = (): string => toBase58(`41${evmAddress().slice(2).toLowerCase()}`);
const solanaAddress = (): string => base58.encode(randomBytes(32));
const NEW_ADDRESS: Readonly<Record<string, () => string>> = {
  ...{ ethereum: evmAddress, bsc: evmAddress },
  ...{ tron: tronAddress, solana: solanaAddress },
};
const NETWORKS = Object.keys(NEW_ADDRESS);
const sponsors = Object.fromEntries(NETWORKS.map((network) => [network, NEW_ADDRESS[network]!()]));

const wallets = { evm: evmAddress(), tron: tronAddress(), solana: solanaAddress() };
const walletOn = (network: string): string =>
  network === 'tron' || network === 'solana' ? wallets[network] : wallets.evm;

/** Stands in for the supervisor's end of the channel. */
const requested: [fault: string, isOn: boolean][] = [];
const installation: Installation = {
  async set(fault, isOn) {
    if (fault === 'robbed') return;
    if (fault === 'worker_stopped') throw new PaymentRefused('There is no worker here.');
    requested.push([fault, isOn]);
  },
};

let directory: string;
let chains: LocalChains;
let badDay: BadDay;
let sandbox: SandboxServer;
beforeAll(async () => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-bad-day-'));
  const refundWallet = { ...wallets, nextNonces: {}, sponsors };
  chains = await startChains({ directory, refundWallet, onFault: () => {} });
  const log = openLog('test', 'silent');
  const receiver = new Receiver(systemClock);
  badDay = new BadDay({ chains, receiver, installation });
  const merchant = new MerchantServer({ publicUrl: PUBLIC_URL, dataDirectory: directory, clock: systemClock });
  const shop = new Shop({ merchant, chains, inbox: receiver.inbox, publicUrl: PUBLIC_URL, log });
  const parts = { chains, receiver, shop, rates: new LocalRates(systemClock), badDay, publicUrl: PUBLIC_URL, log };
  sandbox = await startServer(parts, 0);
});
afterAll(async () => {
  await sandbox.stop();
  await chains.stop();
  fs.rmSync(directory, { recursive: true, force: true });
});

const local = (network: string): LocalNetwork => chains.networks.get(network) as LocalNetwork;
const pay = (network: string, recipient = NEW_ADDRESS[network]!()) =>
  local(network).pay({ currency: 'USDC', recipient, cents: 100n, scenario: 'exact' });

async function ask(url: string, body: object): Promise<Record<string, unknown>> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await answer.json()) as Record<string, unknown>;
}
const rpc = async (network: string, method: string, params: readonly unknown[]): Promise<unknown> =>
  (await ask(local(network).rpcUrl, { jsonrpc: '2.0', id: 1, method, params })).result;

/** What an account has, in the smallest unit of the network's coin. The sponsor by default. */
async function coinOf(network: string, address = sponsors[network]): Promise<bigint> {
  if (network === 'tron') {
    const found = await ask(`${local(network).rpcUrl}/wallet/getaccount`, { address, visible: true });
    return BigInt((found.balance as number | undefined) ?? 0);
  }
  if (network === 'solana') {
    const found = await rpc(network, 'getBalance', [address, { commitment: 'processed' }]);
    return BigInt((found as { value: number }).value);
  }
  return BigInt((await rpc(network, 'eth_getBalance', [address, 'latest'])) as string);
}

describe.each(NETWORKS)('on %s', (network) => {
  test('an address that the issuer blocks takes no payment until it is unblocked, and others do', async () => {
    const address = NEW_ADDRESS[network]!();
    const blocked = { network, fault: 'blocked', currency: 'USDC', address } as const;
    await badDay.set({ ...blocked, is_on: true });
    await badDay.set({ ...blocked, is_on: true });
    await expect(pay(network, address)).rejects.toThrow(/failed/);
    await pay(network);
    expect(badDay.networks().find((one) => one.network === network)?.blocked).toEqual([{ currency: 'USDC', address }]);
    await badDay.set({ ...blocked, is_on: false });
    await pay(network, address);
    expect(await local(network).balance(address, 'USDC')).toBeGreaterThan(0n);
    expect(badDay.networks().flatMap((one) => one.blocked)).toEqual([]);
  });

  test('the account that pays for sweeps is emptied, alone, and has its coin again', async () => {
    const before = await Promise.all(NETWORKS.map((one) => coinOf(one)));
    await badDay.set({ network, fault: 'sponsor_empty', is_on: true });
    const others = before.map((coin, at) => (NETWORKS[at] === network ? 0n : coin));
    expect(await Promise.all(NETWORKS.map((one) => coinOf(one)))).toEqual(others);
    await badDay.set({ network, fault: 'sponsor_empty', is_on: false });
    expect(await Promise.all(NETWORKS.map((one) => coinOf(one)))).toEqual(before);
    expect(before).not.toContain(0n);
  });

  test('the refund wallet has no coin for fees, and has it again', async () => {
    const before = await coinOf(network, walletOn(network));
    await badDay.set({ network, fault: 'fees_empty', is_on: true });
    expect(await coinOf(network, walletOn(network))).toBe(0n);
    await badDay.set({ network, fault: 'fees_empty', is_on: false });
    expect(await coinOf(network, walletOn(network))).toBe(before);
    expect(before).toBeGreaterThan(0n);
  });

  test('the endpoint refuses connections while it is away, payments go on behind it, and it comes back at its address', async () => {
    const recipient = NEW_ADDRESS[network]!();
    const isServed = () =>
      coinOf(network).then(
        () => true,
        () => false,
      );
    await badDay.set({ network, fault: 'away', is_on: true });
    await badDay.set({ network, fault: 'away', is_on: true });
    expect(await isServed()).toBe(false);
    await pay(network, recipient);
    await badDay.set({ network, fault: 'away', is_on: false });
    expect(await isServed()).toBe(true);
    expect(await local(network).balance(recipient, 'USDC')).toBeGreaterThan(0n);
  });

  test('payments are refused while no blocks are made, and go on afterwards', async () => {
    await badDay.set({ network, fault: 'stopped', is_on: true });
    await expect(pay(network)).rejects.toThrow(PaymentRefused);
    expect(badDay.networks().filter(({ switches }) => switches.has('stopped'))).toMatchObject([{ network }]);
    await badDay.set({ network, fault: 'stopped', is_on: false });
    await pay(network);
  });

  test('an address of another network, and an unknown token, are refused', async () => {
    const other = network === 'solana' ? evmAddress() : solanaAddress();
    const blocked = { network, fault: 'blocked', is_on: true } as const;
    await expect(badDay.set({ ...blocked, currency: 'USDC', address: other })).rejects.toThrow(PaymentRefused);
    const unknown = { ...blocked, currency: 'EURC', address: NEW_ADDRESS[network]!() };
    await expect(badDay.set(unknown)).rejects.toThrow(PaymentRefused);
    expect(badDay.networks().flatMap((one) => one.blocked)).toEqual([]);
  });
});

test.each(['ethereum', 'bsc'])(
  'what is sent on %s while no blocks are made waits, and is in a block afterwards',
  async (network) => {
    const { rpcUrl, payer } = local(network);
    const provider = new JsonRpcProvider(rpcUrl);
    try {
      await badDay.set({ network, fault: 'stopped', is_on: true });
      const sent = await new Wallet(payer.privateKey, provider).sendTransaction({ to: evmAddress(), value: 1n });
      const height = await rpc(network, 'eth_blockNumber', []);
      expect(await rpc(network, 'eth_getTransactionReceipt', [sent.hash])).toBeNull();
      expect(await rpc(network, 'eth_blockNumber', [])).toBe(height);
      await badDay.set({ network, fault: 'stopped', is_on: false });
      expect(await rpc(network, 'eth_getTransactionReceipt', [sent.hash])).toMatchObject({ status: '0x1' });
    } finally {
      provider.destroy();
    }
  },
);

test.each(['ethereum', 'bsc'])(
  'a thief takes tokens once by a transaction of the refund wallet on %s, and they can be put back',
  async (network) => {
    const state = async (): Promise<[bigint, number]> => [
      await local(network).balance(wallets.evm, 'USDT'),
      Number(await rpc(network, 'eth_getTransactionCount', [wallets.evm, 'latest'])),
    ];
    const [held, nonce] = await state();
    const stolen = 1000n * 10n ** BigInt(local(network).spec.tokens.USDT!.decimals);
    const robbed = { network, fault: 'robbed' } as const;
    for (let time = 0; time < 2; time++) await badDay.set({ ...robbed, is_on: true });
    expect(await state()).toEqual([held - stolen, nonce + 1]);
    for (let time = 0; time < 2; time++) await badDay.set({ ...robbed, is_on: false });
    expect(await state()).toEqual([held, nonce + 1]);
  },
);

test('the energy of the account that pays for sweeps is used up and comes back; only TRON has any', async () => {
  const left = async (): Promise<number> => {
    const address = { address: sponsors.tron, visible: true };
    const found = await ask(`${local('tron').rpcUrl}/wallet/getaccountresource`, address);
    return (found.EnergyLimit as number) - ((found.EnergyUsed as number | undefined) ?? 0);
  };
  const before = await left();
  expect(before).toBeGreaterThan(1_000_000);
  await badDay.set({ network: 'tron', fault: 'energy_gone', is_on: true });
  expect(await left()).toBeLessThanOrEqual(0);
  await badDay.set({ network: 'tron', fault: 'energy_gone', is_on: false });
  expect(await left()).toBe(before);
  const none = badDay.set({ network: 'bsc', fault: 'energy_gone', is_on: true });
  await expect(none).rejects.toThrow(PaymentRefused);
});

describe('the page', () => {
  const post = (fields: Record<string, string>, site = 'same-origin') =>
    fetch(`${sandbox.origin}/sandbox/bad-day`, {
      method: 'POST',
      headers: { 'sec-fetch-site': site },
      body: new URLSearchParams(fields),
      redirect: 'manual',
    });
  const page = async () => (await fetch(`${sandbox.origin}/sandbox`)).text();
  const stop = { network: 'bsc', fault: 'stopped', is_on: 'yes' };

  test('makes something go wrong, says so, and undoes it', async () => {
    expect(await page()).not.toContain('No blocks are made.');
    expect((await post(stop)).status).toBe(303);
    expect(await page()).toContain('No blocks are made.');
    expect((await post({ ...stop, is_on: 'no' })).status).toBe(303);
    expect(await page()).not.toContain('No blocks are made.');
  });

  test.each([
    ['a form of another site', stop, 'cross-site', 403],
    ['an unknown fault', { ...stop, fault: 'fire' }, 'same-origin', 400],
    ['an unknown network', { ...stop, network: 'dogecoin' }, 'same-origin', 400],
    ['an unusable address', { ...stop, fault: 'blocked', currency: 'USDT', address: '0x1' }, 'same-origin', 400],
  ])('refuses %s', async (_, fields, site, status) => {
    expect((await post(fields, site)).status).toBe(status);
    expect(badDay.networks().every(({ switches, blocked }) => switches.size + blocked.length === 0)).toBe(true);
  });

  test('makes the merchants’ server answer 503 until it is undone', async () => {
    const deliver = () => fetch(`${sandbox.origin}/sandbox/webhooks/st_one`, { method: 'POST', body: '{}' });
    expect((await post({ fault: 'receiver_down', is_on: 'yes' })).status).toBe(303);
    expect((await deliver()).status).toBe(503);
    expect(await page()).toContain('answers 503.');
    await post({ fault: 'receiver_down', is_on: 'no' });
    expect((await deliver()).status).toBe(200);
  });

  test('asks the supervisor for a fault of the installation, and shows why it refuses one', async () => {
    expect((await post({ fault: 'signer_stopped', is_on: 'yes' })).status).toBe(303);
    expect(await page()).toContain('The signer is stopped.');
    await post({ fault: 'signer_stopped', is_on: 'no' });
    expect(requested).toEqual([
      ['signer_stopped', true],
      ['signer_stopped', false],
    ]);
    const refused = await post({ fault: 'worker_stopped', is_on: 'yes' });
    expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('There is no worker here.')]);
    expect(await page()).not.toContain('The worker is stopped.');
  });

  test('names every runbook once, with what causes its incident', async () => {
    const files = fs.readdirSync('docs/operate/runbooks').filter((file) => file !== 'README.md');
    expect(GAME_DAYS.flatMap(({ runbooks }) => runbooks.map((name) => `${name}.md`)).toSorted()).toEqual(files);
    const shown = await page();
    expect(files.filter((file) => !shown.includes(`docs/operate/runbooks/${file}`))).toEqual([]);
  });

  test('shares its faults with the control server', async () => {
    const body = { network: 'tron', fault: 'sponsor_empty', is_on: true };
    expect(await ask(`${sandbox.origin}/control/fault`, body)).toEqual({ is_on: true });
    expect(await page()).toContain('The account that pays for sweeps is empty.');
    expect(await ask(`${sandbox.origin}/control/fault`, { ...body, is_on: false })).toEqual({ is_on: false });
  });
});
