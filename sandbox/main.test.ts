// The sandbox as a process: its one ready line, its control server, and a clean exit in every case.

import type { ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Wallet } from 'ethers';
import { afterAll, afterEach, expect, test } from 'vitest';
import { networksDescription } from './describe';
import { spawnSandbox, type Ready } from './spawn';

type Running = { child: ChildProcess; ready: Ready; directory: string; ended: Promise<number | null> };

const directories: string[] = [];
const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});
afterAll(() => {
  for (const directory of directories) fs.rmSync(directory, { recursive: true, force: true });
});

async function start(): Promise<Running> {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-sandbox-'));
  directories.push(directory);
  const { child, ready, ended } = spawnSandbox(directory);
  running.push(child);
  return { child, ready: await ready, directory, ended };
}

/** Process ids of the chains. */
const chainsOf = ({ pid }: ChildProcess): number[] =>
  fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
const isAlive = (pid: number): boolean => fs.existsSync(`/proc/${pid}`);

async function control(origin: string, action: string, body: unknown) {
  const answer = await fetch(`${origin}/control/${action}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
}

test('prints once that it is ready, serves its routes, and exits with its chains and status 0 on SIGTERM', async () => {
  const { child, ready, directory, ended } = await start();
  expect(Object.keys(networksDescription.parse(ready.networks))).toEqual(['ethereum', 'bsc', 'tron', 'solana']);
  const chains = chainsOf(child);
  expect(chains).toHaveLength(2);

  const recipient = Wallet.createRandom().address;
  const payment = { network: 'bsc', currency: 'USDC', recipient, cents: 42, scenario: 'exact' };
  const paid = await control(ready.origin, 'pay', payment);
  expect(paid).toMatchObject({
    status: 200,
    json: { network: 'bsc', transaction_hash: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
  });
  const other = { recipient: Wallet.createRandom().address, cents: 7 };
  expect(await control(ready.origin, 'pay', { ...payment, scenario: 'batch', other })).toMatchObject({ status: 200 });
  expect(await control(ready.origin, 'mine', { network: 'ethereum', blocks: 150 })).toMatchObject({
    status: 200,
    json: { blocks: 150 },
  });
  expect(await control(ready.origin, 'reorg', { network: 'bsc', depth: 3 })).toEqual({
    status: 200,
    json: { depth: 3 },
  });

  const tronPayment = { ...payment, network: 'tron', recipient: ready.networks.tron?.payer.address };
  expect(await control(ready.origin, 'pay', tronPayment)).toMatchObject({
    status: 200,
    json: { network: 'tron', transaction_hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
  });
  for (const network of ['tron', 'solana']) {
    expect(await control(ready.origin, 'mine', { network, blocks: 3 })).toMatchObject({ status: 200 });
    expect(await control(ready.origin, 'reorg', { network, depth: 2 })).toMatchObject({ status: 200 });
  }

  const refused: [string, unknown][] = [
    ['pay', { ...payment, network: 'tron' }],
    ['pay', { ...tronPayment, network: 'bsc' }],
    ['pay', { ...tronPayment, scenario: 'batch', other: { recipient: 'nobody', cents: 1 } }],
    ['reorg', { network: 'tron', depth: 60 }],
    ['pay', { ...payment, network: 'dogecoin' }],
    ['pay', { ...payment, currency: 'DAI' }],
    ['pay', { ...payment, recipient: 'nobody' }],
    ['pay', { ...payment, cents: 0 }],
    ['pay', { ...payment, cents: 1.5 }],
    ['pay', { ...payment, scenario: 'magic' }],
    ['pay', { ...payment, cents: 1, scenario: 'split' }],
    ['mine', { network: 'bsc', blocks: 1001 }],
    ['mine', { network: 'bsc', blocks: 0 }],
    ['reorg', { network: 'bsc', depth: 65 }],
    ['reorg', { network: 'bsc', depth: 0 }],
  ];
  for (const [action, body] of refused) {
    expect([body, await control(ready.origin, action, body)]).toMatchObject([
      {},
      { status: 400, json: { message: /./ } },
    ]);
  }
  const formPost = await fetch(`${ready.origin}/control/mine`, {
    method: 'POST',
    body: '{"network":"bsc","blocks":1}',
  });
  expect(formPost.status).toBe(415);
  expect((await fetch(`${ready.origin}/sandbox/webhooks`)).status).toBe(200);
  expect((await fetch(`${ready.origin}/shop`)).status).toBe(200);
  expect((await fetch(`${ready.origin}/elsewhere`)).status).toBe(404);

  child.kill('SIGTERM');
  expect(await ended).toBe(0);
  expect(chains.filter(isAlive)).toEqual([]);
  // HOME was the data directory: a chain's stray files would show outside its own folder.
  expect(fs.readdirSync(directory)).toEqual(['chains']);
}, 60_000);

test('exits when its standard input ends', async () => {
  const { child, ended } = await start();
  const chains = chainsOf(child);
  child.stdin?.end();
  expect(await ended).toBe(0);
  expect(chains.filter(isAlive)).toEqual([]);
}, 60_000);

test('exits with an error, and stops the other chains, when a chain exits', async () => {
  const { child, ended } = await start();
  const chains = chainsOf(child);
  process.kill(chains[0] as number, 'SIGKILL');
  expect(await ended).toBe(1);
  expect(chains.filter(isAlive)).toEqual([]);
}, 60_000);

test('its chains exit when it is killed with SIGKILL', async () => {
  const { child } = await start();
  const chains = chainsOf(child);
  child.kill('SIGKILL');
  await expect.poll(() => chains.filter(isAlive), { timeout: 30_000 }).toEqual([]);
}, 60_000);
