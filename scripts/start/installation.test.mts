import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { coldWallets, walletLevels } from '@/lib/networks/wallet-levels';
import { treasuryWallets } from '@/lib/networks/treasury-wallets';
import { openDataDirectory } from './data-directory.mjs';
import { isInstalled } from './install.mjs';
import { LOCAL_TREASURY } from './local-treasury.mjs';
import { openLogFile } from './log-file.mjs';
import { readSecrets } from './secrets.mjs';
import { environments, readSettings } from './settings.mjs';

let directory = '';
beforeEach(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-installation-'));
});
afterEach(() => fs.rmSync(directory, { recursive: true, force: true }));

const modeOf = (file: string) => (fs.statSync(file).mode & 0o777).toString(8);

test('secrets are generated once, for this user only, and reused at the next start', () => {
  const first = readSecrets(directory, {});
  expect(modeOf(path.join(directory, 'secrets.json'))).toBe('600');
  expect(readSecrets(directory, {})).toEqual(first);
  expect(readSecrets(directory, { EVIDENCE_KEY: 'given by somebody' })).toEqual({
    ...first,
    EVIDENCE_KEY: 'given by somebody',
  });
});

test('generates no new secrets for data that needs the lost ones', () => {
  fs.writeFileSync(path.join(directory, 'keystore.json'), '{}');
  expect(() => readSecrets(directory, {})).toThrow(/secrets\.json is missing, and keystore\.json/);
  fs.writeFileSync(path.join(directory, 'secrets.json'), '{"MASTER_KEYS":');
  expect(() => readSecrets(directory, {})).toThrow(/is damaged/);
});

test('nothing is written when the environment has every secret', () => {
  const given = {
    ...{ MASTER_KEYS: 'a', KEYSTORE_PASSPHRASE: 'b', EVIDENCE_KEY: 'd' },
    ...{ OWNER_DATABASE_PASSWORD: 'e', WEB_DATABASE_PASSWORD: 'f', WORKER_DATABASE_PASSWORD: 'g' },
  };
  expect(readSecrets(directory, given)).toEqual(given);
  expect(fs.readdirSync(directory)).toEqual([]);
});

test('an older installation gets a newly introduced secret, and keeps the others', () => {
  const old = { MASTER_KEYS: 'a', KEYSTORE_PASSPHRASE: 'b' };
  fs.writeFileSync(path.join(directory, 'keystore.json'), '{}');
  fs.writeFileSync(path.join(directory, 'secrets.json'), JSON.stringify(old));
  const now = readSecrets(directory, {});
  const added = {
    EVIDENCE_KEY: expect.stringMatching(/^.{44}$/),
    OWNER_DATABASE_PASSWORD: expect.stringMatching(/^[\w-]{43}$/),
    WEB_DATABASE_PASSWORD: expect.stringMatching(/^[\w-]{43}$/),
    WORKER_DATABASE_PASSWORD: expect.stringMatching(/^[\w-]{43}$/),
  };
  expect(now).toEqual({ ...old, ...added });
  expect(readSecrets(directory, {})).toEqual(now);
  fs.rmSync(path.join(directory, 'secrets.json'));
  expect(readSecrets(directory, old)).toMatchObject(old);
  expect(JSON.parse(fs.readFileSync(path.join(directory, 'secrets.json'), 'utf8'))).toEqual(added);
});

test('a data directory is closed to others, and a second start on it is refused in one sentence', () => {
  const target = path.join(directory, 'new/data');
  openDataDirectory(target, { open: false });
  expect([modeOf(target), modeOf(path.join(target, 'logs'))]).toEqual(['700', '700']);
  expect(() => openDataDirectory(target, { open: false })).toThrow(
    /^Another start is running on the data directory .*\.$/,
  );
});

test('an unusable data directory is refused in one sentence', () => {
  const file = path.join(directory, 'file');
  fs.writeFileSync(file, '');
  expect(() => openDataDirectory(path.join(file, 'data'), { open: false })).toThrow(/a part of the path is a file\.$/);
  expect(() => openDataDirectory(file, { open: false })).toThrow(/there is a file of that name\.$/);
});

test('packages are complete when they match the lock file, except those of other platforms', () => {
  const lock = (packages: object) => JSON.stringify({ packages });
  fs.writeFileSync(
    path.join(directory, 'package-lock.json'),
    lock({ '': {}, 'node_modules/a': { version: '1.0.0' }, 'node_modules/b': { version: '2.0.0', optional: true } }),
  );
  expect(isInstalled(directory)).toBe(false);
  fs.mkdirSync(path.join(directory, 'node_modules'));
  const installed = path.join(directory, 'node_modules/.package-lock.json');
  fs.writeFileSync(installed, lock({ 'node_modules/a': { version: '1.0.0' } }));
  expect(isInstalled(directory)).toBe(true);
  fs.writeFileSync(installed, lock({ 'node_modules/a': { version: '1.0.1' } }));
  expect(isInstalled(directory)).toBe(false);
});

test('a log has a bounded size and keeps its newest part', () => {
  const file = path.join(directory, 'a.log');
  const log = openLogFile(file, 100);
  for (let line = 0; line < 50; line++) log.write(`line ${line}\n`);
  expect(fs.statSync(file).size + fs.statSync(`${file}.1`).size).toBeLessThan(250);
  expect(fs.readFileSync(file, 'utf8')).toContain('line 49\n');
  expect(log.tail().endsWith('line 49\n')).toBe(true);
});

test('O-06: only the signer is given the passphrase, and only web and worker the database and its keys', () => {
  const environment = {
    PATH: '/bin',
    AWS_SECRET_ACCESS_KEY: 'of somebody else',
    KEY_RATE: '7',
    ENERGY_MARKET_SECRET: 'of the market',
  };
  const settings = readSettings(environment, '/checkout', 1);
  const secrets = {
    MASTER_KEYS: 'master',
    KEYSTORE_PASSPHRASE: 'passphrase',
    EVIDENCE_KEY: 'evidence',
    OWNER_DATABASE_PASSWORD: 'of the owner',
  };
  const databaseUrls = { owner: 'postgresql://owner', web: 'postgresql://web', worker: 'postgresql://worker' };
  const env = environments({ settings, secrets, environment, databaseUrls });
  const chains = { origin: 'http://127.0.0.1:5', networks: { ethereum: { rpc_url: 'http://127.0.0.1:6' } } };
  const all = {
    signer: env.signer,
    sandbox: env.sandbox,
    prepare: env.prepare(chains),
    web: env.web(chains),
    worker: env.worker(chains),
  };
  const holders = (value: string) =>
    Object.entries(all).flatMap(([name, one]) => (Object.values(one).includes(value) ? [name] : []));
  expect(holders('passphrase')).toEqual(['signer']);
  expect(holders('master')).toEqual(['prepare', 'web', 'worker']);
  expect(holders('postgresql://owner')).toEqual(['prepare']);
  expect(holders('postgresql://web')).toEqual(['web']);
  expect(holders('postgresql://worker')).toEqual(['worker']);
  expect(holders('of the owner')).toEqual([]);
  // The sandbox requests the signer's wallet, which its chains fund.
  expect(holders('signer.sock')).toEqual(['signer', 'sandbox', 'worker']);
  expect(holders('evidence')).toEqual(['signer', 'worker']);
  expect(holders('of the market')).toEqual(['worker']);
  // Next would read an absent variable from .env. With the cron path the web process runs the worker's steps.
  expect(all.web).toHaveProperty('ENERGY_MARKET_SECRET', '');
  const withCron = environments({ settings, secrets, environment: { ...environment, CRON_SECRET: 's' }, databaseUrls });
  expect(withCron.web(null)).toHaveProperty('ENERGY_MARKET_SECRET', 'of the market');
  expect(holders('of somebody else')).toEqual([]);
  expect(all.web).toMatchObject({
    TEST_CHAINS: 'local',
    TEST_ETHEREUM_URLS: 'http://127.0.0.1:6',
    KEY_RATE: '7',
    LIMIT_LOOPBACK: 'off',
  });
  expect(env.web(null)).not.toHaveProperty('SANDBOX_ORIGIN');
});

test('a sandbox has a treasury wallet on each local chain, beside or instead of which the operator names others', () => {
  const databaseUrls = { owner: '', web: '', worker: '' };
  const secrets = { MASTER_KEYS: '', KEYSTORE_PASSPHRASE: '', EVIDENCE_KEY: '', OWNER_DATABASE_PASSWORD: '' };
  const walletsOf = (environment: Record<string, string>): string[] => {
    const settings = readSettings(environment, '/checkout', 1);
    const env = environments({ settings, secrets, environment, databaseUrls });
    return env.worker({ origin: 'http://127.0.0.1:5', networks: {} }).TREASURY_WALLETS.split(',');
  };
  expect(walletsOf({})).toEqual(
    Object.entries(LOCAL_TREASURY).map(([network, address]) => `${network}@local=${address}`),
  );
  const named = walletsOf({ TREASURY_WALLETS: 'ethereum@mainnet=0x1 bsc@local=0x2' });
  expect(named.slice(0, 2)).toEqual(['ethereum@mainnet=0x1', 'bsc@local=0x2']);
  expect(named.filter((entry) => entry.startsWith('bsc@local='))).toHaveLength(1);
  expect(named).toHaveLength(5);
  expect(treasuryWallets(walletsOf({}))).toHaveLength(4);
});

test('the signer of a sandbox sweeps to the treasury that the worker books, and to no test network in its place', () => {
  const databaseUrls = { owner: '', web: '', worker: '' };
  const secrets = { MASTER_KEYS: '', KEYSTORE_PASSPHRASE: '', EVIDENCE_KEY: '', OWNER_DATABASE_PASSWORD: '' };
  const settingsOf = (environment: Record<string, string>) => {
    const settings = readSettings(environment, '/checkout', 1);
    return environments({ settings, secrets, environment, databaseUrls }).signer;
  };
  const { ethereum, bsc, tron, solana } = LOCAL_TREASURY;
  expect(settingsOf({}).SIGNER_TREASURY_WALLETS).toBe(
    `ethereum@local=${ethereum},bsc@local=${bsc},tron@local=${tron},solana@local=${solana}`,
  );
  const own = `0x${'1'.repeat(40)}`;
  const given = settingsOf({
    SIGNER_TREASURY_WALLETS: `ethereum@mainnet=${own} ethereum@testnet=${own}`,
    TREASURY_WALLETS: `bsc@local=${own}`,
    ...{ SIGNER_SPONSOR: 'spare', SIGNER_SWEEP_FEES: 'bsc@local=1' },
  });
  expect(given.SIGNER_TREASURY_WALLETS).toBe(
    `ethereum@mainnet=${own},bsc@local=${own},ethereum@local=${ethereum},tron@local=${tron},solana@local=${solana}`,
  );
  expect(given).toMatchObject({ SIGNER_SPONSOR: 'spare', SIGNER_SWEEP_FEES: 'bsc@local=1' });
  expect(treasuryWallets((given.SIGNER_TREASURY_WALLETS ?? '').split(','))).toHaveLength(5);
  expect(settingsOf({ SANDBOX: 'off' })).not.toHaveProperty('SIGNER_TREASURY_WALLETS');
  const named = { SANDBOX: 'off', SIGNER_TREASURY_WALLETS: `ethereum@testnet=${own}` };
  expect(settingsOf(named).SIGNER_TREASURY_WALLETS).toBe(`ethereum@testnet=${own}`);
});

test('a sandbox fills the refund wallet of every network from sweeps, and worker and signer name one cold wallet for its excess', () => {
  const databaseUrls = { owner: '', web: '', worker: '' };
  const secrets = { MASTER_KEYS: '', KEYSTORE_PASSPHRASE: '', EVIDENCE_KEY: '', OWNER_DATABASE_PASSWORD: '' };
  const processes = (environment: Record<string, string>) => {
    const settings = readSettings(environment, '/checkout', 1);
    const all = environments({ settings, secrets, environment, databaseUrls });
    const chains = settings.sandbox ? { origin: 'http://127.0.0.1:5', networks: {} } : null;
    return { worker: all.worker(chains), signer: all.signer };
  };
  const { worker, signer } = processes({});
  const networks = ['ethereum', 'bsc', 'tron', 'solana'];
  expect(worker.TREASURY_WALLETS.split(',')).toEqual(networks.map((network) => `${network}@local=refund-wallet`));
  expect(coldWallets(worker.COLD_WALLETS.split(',')).map(({ spec }) => spec.network)).toEqual(networks);
  expect(signer.SIGNER_COLD_WALLETS).toBe(worker.COLD_WALLETS);
  expect(walletLevels(worker.REFUND_WALLET_LEVELS.split(','))).toHaveLength(8);
  const given = processes({ COLD_WALLETS: 'tron@local=T1', SIGNER_COLD_CENTS_PER_DAY: '7' });
  expect([given.worker.COLD_WALLETS, given.signer.SIGNER_COLD_WALLETS]).toEqual(['tron@local=T1', 'tron@local=T1']);
  expect(given.signer).toMatchObject({ SIGNER_COLD_CENTS_PER_DAY: '7' });
  const live = processes({ SANDBOX: 'off' });
  expect([live.worker, live.signer].map((one) => Object.keys(one).filter((name) => name.includes('COLD')))).toEqual([
    [],
    [],
  ]);
});

test('the web process has the worker’s database role only where it runs the worker’s steps', () => {
  const environment = { CRON_SECRET: 'of a scheduler' };
  const databaseUrls = { owner: 'postgresql://owner', web: 'postgresql://web', worker: 'postgresql://worker' };
  const given = { settings: readSettings(environment, '/checkout', 1), secrets: {}, databaseUrls };
  const web = environments({ ...given, environment }).web(null);
  expect(web).toMatchObject({ DATABASE_URL: 'postgresql://web', WORKER_DATABASE_URL: 'postgresql://worker' });
  expect(environments({ ...given, environment: {} }).web(null)).toMatchObject({
    CRON_SECRET: '',
    WORKER_DATABASE_URL: '',
  });
});

test('an unusable setting is refused before anything starts', () => {
  expect(() => readSettings({ PORT: '70000' }, '/checkout', 1)).toThrow(/PORT/);
  expect(() => readSettings({ SANDBOX: 'no' }, '/checkout', 1)).toThrow(/SANDBOX/);
  for (const address of ['http://example.com', 'https://pay.example/', 'pay.example']) {
    expect(() => readSettings({ PUBLIC_URL: address }, '/checkout', 1)).toThrow(/PUBLIC_URL/);
  }
  expect(readSettings({ PORT: '0' }, '/checkout', 4711)).toMatchObject({
    port: 4711,
    publicUrl: 'http://127.0.0.1:4711',
  });
});
