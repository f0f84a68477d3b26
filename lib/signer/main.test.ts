import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { mnemonicToEntropy, mnemonicToSeedSync } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { Keypair } from '@solana/web3.js';
import { HDNodeWallet, Transaction } from 'ethers';
import { HDKey } from 'micro-key-producer/slip10.js';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { forwarderAddress, forwardersCreation } from '@/lib/networks/families/tron/sweeping/forwarders';
import { INDEX_LIMIT, keysFromSeed } from '@/lib/treasury/wallets/derivation';
import { SignerClient } from './client';
import { createKeystore, openKeystore } from './keystore/keystore';

const root = path.resolve(import.meta.dirname, '../..');
const mnemonic = 'legal winner thank year wave sausage worth useful legal winner thank yellow';
const keys = keysFromSeed(mnemonicToSeedSync(mnemonic));
const passphrase = 'a passphrase that is hard to guess';

let directory: string;
const running = new Set<ChildProcess>();
beforeAll(async () => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-signer-'));
  await createKeystore({ file: inside('known.json'), passphrase, entropy: mnemonicToEntropy(mnemonic, wordlist) });
});
afterEach(async () => {
  for (const child of running) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
});
afterAll(() => fs.rmSync(directory, { recursive: true, force: true }));

const inside = (name: string): string => path.join(directory, name);
/** The whole environment of the process: it must run without any setting of the service. */
const environment = (changes: Record<string, string>): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH,
  KEYSTORE_FILE: inside('known.json'),
  KEYSTORE_PASSPHRASE: passphrase,
  SIGNER_SOCKET: inside('signer.sock'),
  ...changes,
  NODE_ENV: 'test',
});
const command = ['--import', 'tsx', 'lib/signer/main.ts'];

type Started = { child: ChildProcess; output: () => string; ended: Promise<number | null> };

function launch(
  changes: Record<string, string> = {},
  words: readonly string[] = [],
): Started & { ready: Promise<boolean> } {
  const child = spawn(process.execPath, [...command, ...words], { cwd: root, env: environment(changes) });
  running.add(child);
  let output = '';
  const ended = new Promise<number | null>((resolve) => {
    child.once('exit', (code) => {
      running.delete(child);
      resolve(code);
    });
  });
  child.stderr?.on('data', (chunk: Buffer) => (output += chunk));
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const ready = new Promise<boolean>((resolve) => {
    lines.on('line', (line) => {
      output += `${line}\n`;
      if (line === '{"ready":true}') resolve(true);
    });
    void ended.then(() => resolve(false));
  });
  return { child, ended, ready, output: () => output };
}

/** Makes a new keystore, as an operator does once. */
const init = (changes: Record<string, string>) =>
  spawnSync(process.execPath, [...command, 'init'], { cwd: root, env: environment(changes), encoding: 'utf8' });

async function start(changes: Record<string, string> = {}): Promise<Started> {
  const started = launch(changes);
  if (!(await started.ready)) throw new Error(`the signer did not start: ${started.output()}`);
  return started;
}

const client = (timeout?: number) => new SignerClient(inside('signer.sock'), timeout);

/** Sends raw bytes and returns the response lines until there are enough or the signer closes the connection. */
function raw(bytes: string | Buffer, answers: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(inside('signer.sock'));
    let text = '';
    const lines = () => text.split('\n').filter((line) => line.length > 0);
    socket.on('connect', () => socket.write(bytes));
    socket.on('data', (chunk: Buffer) => {
      text += chunk;
      if (text.endsWith('\n') && lines().length >= answers) socket.destroy();
    });
    socket.on('close', () => resolve(lines()));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') reject(error);
    });
  });
}

const SOLANA_TREASURY = 'DFazMtMCpqCQBb7dpgK9XqocKcPFHgVwpvKfj87c7mRF';

test('sweeps only where its settings name a treasury, within their budget, and with the sponsor that they choose', async () => {
  const order = { environment: 'live', network: 'bsc', nonce: 0, transaction: { kind: 'deploy' } } as const;
  const fees = { maxFeePerGas: '100000000', maxPriorityFeePerGas: '100000000', gasLimit: '1000000' };
  const KEYSTORE_FILE = inside('sweeps.json');
  expect(init({ KEYSTORE_FILE }).status).toBe(0);
  const without = await start({ KEYSTORE_FILE });
  expect(await client().state()).not.toHaveProperty('sweeps');
  await expect(client().sweep({ ...order, ...fees })).rejects.toMatchObject({ code: 'not_allowed' });
  without.child.kill('SIGTERM');
  await without.ended;
  const treasury = '0x7982d9b7cffc2f9f186b06a6c109d593908c3762';
  const settings = {
    KEYSTORE_FILE,
    SIGNER_TREASURY_WALLETS: `bsc@mainnet=${treasury},solana@mainnet=${SOLANA_TREASURY}`,
    SIGNER_SWEEP_FEES: 'bsc@mainnet=0.0001',
    SIGNER_SPONSOR: 'spare',
  };
  await start(settings);
  // The words and the path give this address in every wallet program.
  const words = await openKeystore({ file: KEYSTORE_FILE, passphrase, allowPublic: false });
  const sponsorPath = "m/44'/60'/3'/0/0";
  const spare = HDNodeWallet.fromSeed(mnemonicToSeedSync(words)).derivePath(sponsorPath).address.toLowerCase();
  const signed = await client().sweep({ ...order, ...fees });
  expect([signed.from, Transaction.from(signed.bytes).from?.toLowerCase()]).toEqual([spare, spare]);
  const shown = { network: 'bsc@mainnet', treasury, active: spare, spareSponsor: spare };
  expect((await client().state()).sweeps).toMatchObject([
    { ...shown, feesPerHour: String(10n ** 14n), feesLastHour: String(10n ** 14n) },
    { network: 'solana@mainnet', treasury: SOLANA_TREASURY, delegate: null, feesLastHour: '0' },
  ]);
  const [contract, blockhash] = ['EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', SOLANA_TREASURY];
  const onSolana = { environment: 'live', network: 'solana', blockhash, unitLimit: 5000, unitPrice: '1000' } as const;
  const opened = await client().sweep({ ...onSolana, transaction: { kind: 'deploy', contract } });
  const { privateKey } = HDKey.fromMasterSeed(mnemonicToSeedSync(words)).derive("m/44'/501'/2147483647'/4'");
  expect(opened.from).toBe(Keypair.fromSeed(privateKey).publicKey.toBase58());
  await expect(client().sweep({ ...order, ...fees, nonce: 1 })).rejects.toMatchObject({ code: 'limit' });
});

test('knows the forwarders of the contracts in its settings, and prints the code of the one for its wallets', async () => {
  const [treasury, factory, other] = [
    'TM3hWvJnpuyUmKRALBRwD7xH2puBjvwEgA',
    'TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7',
    'TXHzvoDBPaG7YbSgb3zdoosJK4x4Kmf2J2',
  ];
  const settings = {
    SIGNER_TREASURY_WALLETS: `tron@mainnet=${treasury}`,
    SIGNER_TRON_FORWARDERS: `tron@mainnet=${factory}`,
  };
  await start(settings);
  const { evm, tron } = keys.addressesAt(6);
  expect(await client().owns(6, [evm, tron, forwarderAddress(factory, evm)])).toBe(true);
  expect(await client().owns(7, [forwarderAddress(factory, evm)])).toBe(false);
  expect(await client().owns(6, [forwarderAddress(other, evm)])).toBe(false);
  const [shown] = (await client().state()).sweeps ?? [];
  expect(shown).toMatchObject({ network: 'tron@mainnet', treasury, forwarders: [factory] });
  const printed = launch(settings, ['forwarders', 'tron@mainnet']);
  expect(await printed.ended).toBe(0);
  expect(printed.output()).toContain(treasury);
  expect(printed.output()).toContain(forwardersCreation(shown!));
  const refused = launch(settings, ['forwarders', 'bsc@mainnet']);
  expect(await refused.ended).toBe(1);
  expect(refused.output()).toContain('forwarders NETWORK');
});

test('gives each index once, across restarts and kills', async () => {
  const first = await start();
  const batch = await client().addresses(5, 3);
  expect(batch).toEqual({
    fingerprint: keys.fingerprint,
    addresses: [5, 6, 7].map((index) => keys.addressesAt(index)),
  });
  // Requesting the owner of an address consumes no index and may be repeated.
  const { evm, tron, solana } = keys.addressesAt(6);
  for (let time = 0; time < 2; time++) expect(await client().owns(6, [evm, tron, solana])).toBe(true);
  expect(await client().owns(7, [evm])).toBe(false);
  expect(await client().owns(6, [evm, keys.addressesAt(7).evm])).toBe(false);
  expect(await client().fingerprint()).toBe(keys.fingerprint);
  expect(await client().capacity()).toBe(INDEX_LIMIT);
  // A kill leaves the socket file behind; the next start takes it over.
  first.child.kill('SIGKILL');
  await first.ended;
  expect(fs.existsSync(inside('signer.sock'))).toBe(true);
  await expect(client().fingerprint()).rejects.toMatchObject({ fault: 'unavailable', retryable: true });
  const second = await start();
  await expect(client().addresses(7, 1)).rejects.toMatchObject({ fault: 'used', retryable: true });
  expect((await client().addresses(8, 1)).addresses).toEqual([keys.addressesAt(8)]);
  expect(await client().highestIndex()).toBe(8);
  expect(fs.statSync(inside('signer.sock')).mode & 0o777).toBe(0o600);
  second.child.kill('SIGTERM');
  expect(await second.ended).toBe(0);
  expect(fs.existsSync(inside('signer.sock'))).toBe(false);
});

test('refuses a publicly known wallet together with a real network', async () => {
  const { ready, ended, output } = launch({ ALLOW_PUBLIC_MNEMONIC: 'on', SIGNER_NETWORKS: 'tron@mainnet,bsc@local' });
  expect(await ready).toBe(false);
  expect(await ended).toBe(1);
  expect(output()).toContain('ALLOW_PUBLIC_MNEMONIC is on together with real networks (tron)');
});

test('no input makes it sign, reveal a secret or crash', async () => {
  const { output } = await start();
  const ask = (call: string, params: unknown, more: object = {}) => JSON.stringify({ id: 'q', call, params, ...more });
  const refused: [string | Buffer, string][] = [
    ['', 'invalid_request'],
    ['null', 'invalid_request'],
    ['[]', 'invalid_request'],
    ['{"id":', 'invalid_request'],
    [Buffer.from([0xff, 0xfe, 0x00]), 'invalid_request'],
    [ask('addresses', { from: 0, count: 1 }, { extra: 1 }), 'invalid_request'],
    [JSON.stringify({ call: 'addresses', params: { from: 0, count: 1 } }), 'invalid_request'],
    [JSON.stringify({ id: 7, call: 'fingerprint', params: {} }), 'invalid_request'],
    [ask('addresses', { from: 0, count: 201 }), 'invalid_request'],
    [ask('addresses', { from: 0, count: 0 }), 'invalid_request'],
    [ask('addresses', { from: -1, count: 1 }), 'invalid_request'],
    [ask('addresses', { from: 0.5, count: 1 }), 'invalid_request'],
    [ask('addresses', { from: '0', count: 1 }), 'invalid_request'],
    [ask('addresses', { from: INDEX_LIMIT, count: 1 }), 'invalid_request'],
    [ask('addresses', { from: INDEX_LIMIT - 1, count: 2 }), 'invalid_request'],
    [ask('addresses', { from: 0, count: 1, path: "m/44'/60'/0'" }), 'invalid_request'],
    [ask('addresses', {}), 'invalid_request'],
    [ask('fingerprint', { secret: true }), 'invalid_request'],
    [ask('sign', {}), 'invalid_request'],
    [ask('sign', { digest: '00'.repeat(32) }), 'invalid_request'],
    [ask('freeze', { reason: '' }), 'invalid_request'],
    [ask('release', {}), 'invalid_request'],
    ...['signHash', 'unfreeze', 'seed', 'mnemonic', 'backup', 'restore', 'constructor', '__proto__', ''].map(
      (call): [string, string] => [ask(call, {}), 'unknown_call'],
    ),
  ];
  const sent = Buffer.concat(refused.map(([line]) => Buffer.concat([Buffer.from(line), Buffer.from('\n')])));
  const answers = await raw(sent, refused.length);
  expect(answers.map((line) => JSON.parse(line).error?.code)).toEqual(refused.map(([, code]) => code));
  const endless = await raw(Buffer.alloc(1_000_000, 'x'), 2);
  expect(endless.length).toBeLessThanOrEqual(1);
  const said = `${answers.join('\n')}\n${endless.join('\n')}\n${output()}`;
  for (const secret of [passphrase, mnemonic, 'sausage']) expect(said).not.toContain(secret);
  expect(await client().fingerprint()).toBe(keys.fingerprint);
});

test('a batch of 200 does not delay another caller, and callers that disconnect or never read do no harm', async () => {
  await start();
  const order: string[] = [];
  const large = client()
    .addresses(100, 200)
    .then(() => order.push('large'));
  const small = client()
    .fingerprint()
    .then(() => order.push('small'));
  await Promise.all([large, small]);
  expect(order).toEqual(['small', 'large']);
  const question = `${JSON.stringify({ id: 'q', call: 'addresses', params: { from: 300, count: 20 } })}\n`;
  const deaf = net.connect(inside('signer.sock')).pause();
  deaf.write(question.repeat(30));
  const vanished = net.connect(inside('signer.sock'));
  vanished.write(question, () => vanished.destroy());
  expect((await client().addresses(400, 1)).addresses).toEqual([keys.addressesAt(400)]);
  deaf.destroy();
});

test('a second signer on the same socket is refused and the first keeps running', async () => {
  await start();
  const second = launch();
  expect(await second.ready).toBe(false);
  expect(await second.ended).toBe(1);
  expect(second.output()).toMatch(/Another signer is running/);
  expect(await client().fingerprint()).toBe(keys.fingerprint);
});

test('never makes a keystore by itself: a lost disk makes no new wallet, and the message says what to do', () => {
  const KEYSTORE_FILE = inside('new/keystore.json');
  const lost = spawnSync(process.execPath, command, {
    cwd: root,
    env: environment({ KEYSTORE_FILE }),
    encoding: 'utf8',
  });
  expect([lost.status, lost.stdout]).toEqual([1, '']);
  expect(lost.stderr).toContain(`There is no keystore at ${KEYSTORE_FILE}.`);
  expect(lost.stderr).toMatch(/not mounted.*signer restore.*signer init/);
  expect(fs.existsSync(path.dirname(KEYSTORE_FILE))).toBe(false);
});

test('"init" makes a keystore once, which signs from its first start on, and never replaces one', async () => {
  const KEYSTORE_FILE = inside('new/keystore.json');
  const made = init({ KEYSTORE_FILE });
  expect([made.status, made.stderr]).toEqual([0, '']);
  expect(fs.statSync(KEYSTORE_FILE).mode & 0o777).toBe(0o600);
  const bytes = fs.readFileSync(KEYSTORE_FILE);
  const again = init({ KEYSTORE_FILE });
  expect([again.status, fs.readFileSync(KEYSTORE_FILE).equals(bytes)]).toEqual([1, true]);
  expect(again.stderr).toContain('never overwritten');
  const first = await start({ KEYSTORE_FILE });
  const fingerprint = await client().fingerprint();
  expect(made.stdout).toContain(`wallet ${fingerprint}.`);
  expect((await client().state()).frozen).toBe(false);
  first.child.kill('SIGINT');
  expect(await first.ended).toBe(0);
  // The keystore alone is lost: its journal shows that this is not a new installation.
  fs.rmSync(KEYSTORE_FILE);
  const refused = init({ KEYSTORE_FILE });
  expect([refused.status, fs.existsSync(KEYSTORE_FILE)]).toEqual([1, false]);
  expect(refused.stderr).toContain('the journal of a keystore that is missing');
});

test('it exits with its parent when the setting is on', async () => {
  const { child, ended } = await start({ STOP_WITH_PARENT: 'on' });
  child.stdin?.end();
  expect(await ended).toBe(0);
});

describe('it reports a failed start in one sentence without a secret', () => {
  test.each([
    ['a wrong passphrase', { KEYSTORE_PASSPHRASE: 'not the passphrase' }, /does not open this keystore/],
    ['no passphrase', { KEYSTORE_PASSPHRASE: '' }, /set KEYSTORE_PASSPHRASE/],
    ['no keystore setting', { KEYSTORE_FILE: '' }, /KEYSTORE_FILE: is needed/],
    ['no socket', { SIGNER_SOCKET: '' }, /SIGNER_SOCKET is needed/],
    ['a file where the socket should be', { SIGNER_SOCKET: path.join(root, 'package.json') }, /not a socket/],
  ])('%s', (_what, changes, reason) => {
    const ran = spawnSync(process.execPath, command, { cwd: root, env: environment(changes), encoding: 'utf8' });
    expect(ran.status).toBe(1);
    expect(ran.stderr).toMatch(reason);
    expect(ran.stderr).not.toMatch(/not the passphrase|hard to guess|\n\s+at /);
    expect(ran.stdout).not.toContain('ready');
  });

  test.each(['backup', 'restore', 'unfreeze', 'export'])('"%s" through a pipe', (argument) => {
    const ran = spawnSync(process.execPath, [...command, argument], {
      cwd: root,
      env: environment({}),
      input: `${passphrase}\n`,
      encoding: 'utf8',
    });
    expect(ran.status).toBe(1);
    expect(ran.stderr).toMatch(/needs a terminal|as its argument/);
    expect(ran.stdout).not.toContain('sausage');
  });
});
