// The doctor names what is unsafe or broken, says what to do, changes nothing and prints no secret.

import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { HDKey } from '@scure/bip32';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeChain, makeStore, testConfig } from '@/testing/fixtures';
import { startFakeNode } from '@/testing/evm/fake-evm-node';
import { startMailServer } from '@/testing/receivers/mail-server';
import { serveSigner } from '@/testing/signer/served-signer';
import { localSpec } from '@/testing/signer/signer-scene';
import { keysFromSeed } from '@/lib/treasury/wallets/derivation';
import { VECTORS } from '@/lib/treasury/wallets/published-vectors';
import { runDoctor } from './command';
import { freePort } from '@/scripts/free-port.mjs';
import { makeCertificates } from '@/scripts/signer-certificates.mjs';
import { clockFinding, durabilityFinding } from './database';
import { signerFindings } from './external-checks';
import { runtimeFinding } from './runtime';

const MIGRATIONS = fs
  .readdirSync(path.join(import.meta.dirname, '../../../prisma/migrations'))
  .filter((name) => /^\d/.test(name));
const KEY = randomBytes(32).toString('base64');
const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-doctor-'));
const closers: (() => unknown)[] = [() => fs.rmSync(directory, { recursive: true, force: true })];
let db: TestDatabase;
let web: string;
let printed: string[];

beforeAll(async () => {
  db = await openTestDatabase();
  const server = http.createServer((_, response) => response.end('{"status":"ok"}'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  web = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  closers.push(
    () => server.close(),
    () => db.close(),
  );
});
afterAll(async () => {
  for (const close of closers) await close();
});
beforeEach(() => void (printed = []));

const settings = () => ({ DATABASE_URL: db.url, MASTER_KEYS: `1:${KEY}`, PUBLIC_URL: web, TEST_CHAINS: 'local' });
const run = (over: Record<string, string> = {}, words: string[] = [], migrations = MIGRATIONS, isSetupOpen = false) =>
  runDoctor(words, {
    environment: { ...settings(), ...over },
    directory: '.',
    isSetupOpen,
    migrations,
    print: (line) => void printed.push(line),
  });
const lines = (check: string): string[] =>
  printed
    .join('\n')
    .split('\n')
    .filter((line) => line.slice(6).startsWith(check));

test('finds nothing wrong with a working installation on one machine', async () => {
  const { chainId, tokens } = localSpec('bsc');
  const decimals = Object.fromEntries(Object.values(tokens).map((token) => [token.contract, token.decimals]));
  const node = await startFakeNode({ chainId: chainId ?? 0, decimals, time: Math.trunc(Date.now() / 1000) });
  closers.push(() => node.close());
  expect(await run({ TEST_BSC_URLS: node.url })).toBe(0);
  expect(lines('bsc')).toEqual([expect.stringContaining('ok    bsc         test endpoint 1: newest block')]);
  for (const check of ['settings', 'database', 'schema', 'address', 'clock']) expect(lines(check)[0]).toMatch(/^ok/);
  expect(printed.at(-1)).toMatch(/^\d+ ok, \d+ warnings, 0 failures$/);
});

test.each(['eth_gasPrice', 'eth_getBalance', 'eth_getCode', 'eth_getTransactionCount'])(
  'warns about an endpoint that finds payments but refuses %s, which refunds need',
  async (method) => {
    const { chainId, tokens } = localSpec('bsc');
    const decimals = Object.fromEntries(Object.values(tokens).map((token) => [token.contract, token.decimals]));
    const node = await startFakeNode({ chainId: chainId ?? 0, decimals, time: Math.trunc(Date.now() / 1000) });
    closers.push(() => node.close());
    const error = { code: -32601, message: `${method} is not in your plan` };
    node.tamper = (call) => (call.method === method ? { error } : undefined);
    expect(await run({ TEST_BSC_URLS: node.url })).toBe(0);
    expect(lines('bsc')).toEqual([
      expect.stringMatching(/^ok/),
      expect.stringMatching(/^WARN {2}bsc {9}test endpoint 1 finds payments, but no refund can be sent through it: \S/),
    ]);
  },
);

test('fails an unsafe production configuration with one sentence for each setting and no secret', async () => {
  const secret = 'hunter2-secret';
  const code = await run({
    LIVE_ETHEREUM_URLS: `http://127.0.0.1:9/${secret} http://127.0.0.1:9/other`,
    WEBHOOKS_TO_LOOPBACK: 'on',
    SMTP_URL: `smtp://user:${secret}@127.0.0.1:9`,
  });
  expect(code).toBe(1);
  expect(lines('settings').map((line) => line.split(' ').slice(0, 99).join(' '))).toEqual([
    expect.stringContaining('PUBLIC_URL does not begin with https'),
    expect.stringContaining('WEBHOOKS_TO_LOOPBACK is on'),
  ]);
  expect(printed.join('\n')).toMatch(
    /ethereum {4}live endpoint 1: could not be reached.*\n +→ .* entry 1 of LIVE_ETHEREUM_URLS\./,
  );
  expect(lines('contact')[0]).toMatch(/^WARN  contact     SECURITY_CONTACT is not set/);
  for (const check of ['ethereum', 'mail', 'role']) expect(lines(check)[0]).toMatch(/^FAIL/);
  expect(lines('ethereum').at(-1)).toContain('WARN  ethereum    live has two endpoints and both have to agree');
  expect(printed.join('\n')).not.toContain(secret);
});

const LIVE = { LIVE_BSC_URLS: 'http://127.0.0.1:9' };

test('fails a superuser at a live database, and warns about one elsewhere', async () => {
  const name = new URL(db.url).username;
  const line = `role        ${name} is a superuser: it could erase the audit log and run programs on the database's machine`;
  expect(await run(LIVE)).toBe(1);
  expect(lines('role')).toEqual([`FAIL  ${line}`]);
  expect(printed.join('\n')).toContain(
    '→ Run `npm run migrate` with WEB_DATABASE_PASSWORD and WORKER_DATABASE_PASSWORD',
  );
  printed = [];
  await run();
  expect(lines('role')).toEqual([`WARN  ${line}`]);
});

test('fails when a secret is under a master key that MASTER_KEYS lacks, and warns about one under a former key', async () => {
  await makeStore(db, testConfig({ MASTER_KEYS: `1:${KEY}` }));
  await run();
  expect(lines('keys')).toEqual(['ok    keys        every secret is under version 1 of MASTER_KEYS']);
  const next = randomBytes(32).toString('base64');
  printed = [];
  expect(await run({ MASTER_KEYS: `1:${KEY},2:${next}` })).toBe(0);
  expect(lines('keys')[0]).toMatch(
    /^WARN {2}keys {8}\d+ secrets are under another version of MASTER_KEYS than 2, which seals/,
  );
  printed = [];
  expect(await run({ MASTER_KEYS: `2:${next}` })).toBe(1);
  expect(lines('keys')[0]).toMatch(/^FAIL {2}keys {8}Version 1 is needed and MASTER_KEYS lacks it/);
});

test('fails only a live wallet whose recovery words are published', async () => {
  const [vector] = VECTORS;
  const file = path.join(directory, 'solana-keys.txt');
  // Separate Solana keys do not hide it.
  const own = keysFromSeed(randomBytes(64));
  const ownSolana = [0, 1, 2].map((index) => own.addressesAt(index).solana);
  fs.writeFileSync(file, `${ownSolana.join('\n')}\n`);
  const watched = (evmXpub: string, tronXpub: string) => ({
    WATCH_ONLY_EVM_XPUB: evmXpub,
    WATCH_ONLY_TRON_XPUB: tronXpub,
    WATCH_ONLY_SOLANA_KEYS_FILE: file,
  });
  const known = watched(vector.evmXpubs[0], vector.tronXpubs[0]);
  expect(await run({ ...LIVE, ...known })).toBe(1);
  expect(lines('wallet')).toEqual([
    expect.stringMatching(/^FAIL {2}wallet {6}The mnemonic of this installation's wallet is public/),
  ]);
  const master = HDKey.fromMasterSeed(randomBytes(64));
  const accounts = ["m/44'/60'/0'", "m/44'/195'/0'"].map((at) => master.derive(at).publicExtendedKey) as [
    string,
    string,
  ];
  for (const over of [known, { ...LIVE, ...watched(...accounts) }, LIVE]) {
    printed = [];
    await run(over);
    expect(lines('wallet')).toEqual([]);
  }
});

test('warns about live networks with a single deciding endpoint, and about live refunds without a delay', async () => {
  const weak = { AGREEMENT_ENDPOINTS: '1', REFUND_CLAIM_DELAY_SECONDS_LIVE: '0' };
  const live = { LIVE_ETHEREUM_URLS: 'http://127.0.0.1:9/one' };
  const warnings = () => [...lines('agreement'), ...lines('claims')];
  await run({ ...live, ...weak });
  expect(warnings()).toEqual([
    expect.stringMatching(/^WARN {2}agreement {3}AGREEMENT_ENDPOINTS is 1: a single endpoint of a live network/),
    expect.stringMatching(/^WARN {2}claims {6}REFUND_CLAIM_DELAY_SECONDS_LIVE is 0: a live refund goes/),
  ]);
  for (const harmless of [live, weak]) {
    printed = [];
    await run(harmless);
    expect(warnings()).toEqual([]);
  }
});

test('fails while a former refund wallet is named for another purpose though it is not empty', async () => {
  const chainId = await makeChain(db, 'ethereum', 1_800_000_000);
  const [present, former] = [`0x${'aa'.repeat(20)}`, `0x${'bb'.repeat(20)}`];
  for (const [address, amount, days] of [
    [present, 0, 0],
    [former, 5, 1],
  ])
    await db.pool.query(
      `INSERT INTO wallet_balances (chain_id, address, asset, amount, block_number, read_at)
       VALUES ($1, $2, 'USDT', $3, 1, now() - $4::int * interval '1 day')`,
      [chainId, address, amount, days],
    );
  const message = `USDT on ethereum (test): COLD_WALLETS names the former refund wallet ${former}, which was not empty`;
  await run({ COLD_WALLETS: `ethereum@local=${former}` });
  expect(lines('wallet')[0]).toBe(`FAIL  wallet      ${message}`);
  printed = [];
  await run({ COLD_WALLETS: `ethereum@local=${present}` });
  expect(lines('wallet').filter((line) => line.includes('former'))).toEqual([]);
  printed = [];
  await db.pool.query('UPDATE wallet_balances SET amount = 0');
  await run({ COLD_WALLETS: `ethereum@local=${former}` });
  expect(lines('wallet').filter((line) => line.includes('former'))).toEqual([]);
  await db.pool.query('DELETE FROM wallet_balances');
});

test('names missing migrations and a database that is newer', async () => {
  expect(await run({}, [], [...MIGRATIONS, '20990101000000_next'])).toBe(1);
  expect(lines('schema')[0]).toContain(
    'FAIL  schema      1 migrations are not applied, the first is 20990101000000_next',
  );
  printed = [];
  expect(await run({}, [], MIGRATIONS.slice(0, -1))).toBe(1);
  expect(lines('schema')[0]).toContain('the database is newer than this version');
});

test('names a set-up that is not finished, and leads to it for what is missing', async () => {
  const todo = ` +→ Go through the steps at ${web}/operator/setup and finish the set-up there.`;
  const doctor = (isOpen: boolean) => run({ PUBLIC_URL: 'https://127.0.0.1:9' }, [], MIGRATIONS, isOpen);
  await run({}, [], MIGRATIONS, true);
  expect(printed.join('\n')).toMatch(new RegExp(`^WARN {2}set-up {6}it is not finished: .*\\n${todo}$`, 'm'));
  printed = [];
  await doctor(true);
  const toSetup = ' {18}→ Enter it in the set-up\\.';
  for (const check of ['networks', 'mail'])
    expect(printed.join('\n')).toMatch(new RegExp(`^WARN {2}${check} .*\\n${toSetup}$`, 'm'));
  printed = [];
  await doctor(false);
  expect(lines('set-up')).toEqual([]);
  expect(printed.join('\n')).toContain('→ Set LIVE_TRON_URLS and its like.');
});

test('says that the mail server takes a name and password only where the settings have them', async () => {
  const mails = await startMailServer();
  closers.unshift(() => mails.close());
  await run({ SMTP_URL: `smtp://127.0.0.1:${mails.port}` });
  await run({ SMTP_URL: `smtp://pay:secret@127.0.0.1:${mails.port}` });
  expect(lines('mail')).toEqual([
    'ok    mail        the mail server answers',
    'ok    mail        the mail server answers, and takes our name and password',
  ]);
});

test('names operators without a second factor', async () => {
  await db.prisma.user.create({ data: { email: 'bare@example.test', passwordHash: '-', role: 'operator' } });
  expect(await run()).toBe(1);
  expect(lines('operators')[0]).toContain('FAIL  operators   without a second factor: bare@example.test');
});

test('prints JSON for programs, and continues when one part does not answer', async () => {
  expect(await run({ DATABASE_URL: 'postgresql://127.0.0.1:9/none' }, ['--json'])).toBe(1);
  const { findings } = JSON.parse(printed.join('\n')) as { findings: { check: string; state: string }[] };
  expect(findings.find(({ check }) => check === 'database')).toMatchObject({ state: 'fail' });
  expect(findings.find(({ check }) => check === 'disk')).toBeDefined();
  expect(findings.find(({ check }) => check === 'database')).toMatchObject({
    message: 'it cannot be checked (ECONNREFUSED)',
    todo: expect.stringContaining('DATABASE_URL'),
  });
  printed = [];
  expect(await run({ PUBLIC_URL: 'http://pay.example', CRON_SECRET: 'short' })).toBe(1);
  expect(lines('settings')).toEqual([
    expect.stringMatching(/^FAIL {2}settings {4}PUBLIC_URL: must be an https origin/),
    expect.stringMatching(/^FAIL {2}settings {4}CRON_SECRET: needs at least 16 characters/),
  ]);
  expect(await run({ MASTER_KEYS: '' })).toBe(1);
  expect(await run({}, ['--wrong'])).toBe(2);
});

test.each([
  [1999, 'ok'],
  [-2000, 'warn'],
  [30_000, 'fail'],
])('rates a clock that is %i ms off as %s', (skew, state) => {
  expect(clockFinding(skew).state).toBe(state);
});

test.each([
  ['20.19.0', '2026-04-30', 'ok'],
  ['20.19.0', '2026-05-01', 'warn'],
  ['24.21.0', '2026-11-22', 'ok'],
  ['23.1.0', '2026-11-22', 'warn'],
  ['28.0.0', '2027-06-01', 'ok'],
])('rates Node %s on %s as %s', (version, day, state) => {
  expect(runtimeFinding(version, new Date(`${day}T12:00:00Z`)).state).toBe(state);
});

test('warns while the recovery words of a live wallet are not confirmed as written down', async () => {
  const folder = fs.mkdtempSync(path.join(directory, 'signer-'));
  const signer = await serveSigner(folder);
  closers.unshift(() => signer.close());
  const over = { SIGNER_SOCKET: signer.socket, REFUND_APPROVAL_ABOVE: '1000' };
  await run(over);
  expect(lines('words')).toEqual([]);
  await run({ ...over, LIVE_BSC_URLS: 'http://127.0.0.1:9' });
  expect(lines('words')).toEqual([expect.stringMatching(/^WARN .*no operator has confirmed/)]);
});

test('warns a month before the certificate for a signer on another machine ends, and says why such a signer gives no answer', async () => {
  const folder = fs.mkdtempSync(path.join(directory, 'signer-'));
  makeCertificates(folder, '127.0.0.1');
  const at = `tls://127.0.0.1:${await freePort()}?certificates=`;
  const signer = await serveSigner(folder, `${at}${folder}/signer`);
  closers.unshift(() => signer.close());
  const config = (name: string) => testConfig({ SIGNER_SOCKET: `${at}${folder}/${name}` });
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000);
  const ending = { state: 'warn', message: expect.stringMatching(/certificate for the signer ends on 20/) };
  expect(await signerFindings(config('worker'), inDays(690))).not.toContainEqual(expect.objectContaining(ending));
  expect(await signerFindings(config('worker'), inDays(701))).toContainEqual(expect.objectContaining(ending));
  expect(await signerFindings(config('nothing'), inDays(0))).toMatchObject([
    { state: 'fail', message: expect.stringMatching(/^it does not answer: ENOENT.*nothing\/key\.pem/) },
  ]);
});

test('warns about a node whose newest block is old but that still reads the chain', async () => {
  const { chainId, tokens } = localSpec('bsc');
  const decimals = Object.fromEntries(Object.values(tokens).map((token) => [token.contract, token.decimals]));
  const node = await startFakeNode({ chainId: chainId ?? 0, decimals, time: Math.trunc(Date.now() / 1000) - 3600 });
  closers.unshift(() => node.close());
  await run({ TEST_BSC_URLS: node.url });
  expect(lines('bsc')).toEqual([expect.stringMatching(/^WARN .*newest block 0, 60 minutes old/)]);
});

test('a database that answers and takes no writes is a failure', async () => {
  const name = new URL(db.url).pathname.slice(1);
  await db.pool.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
  try {
    expect(await run()).toBe(1);
    expect(lines('database')[0]).toMatch(/^FAIL.*takes no writes/);
  } finally {
    await db.pool.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
  }
});

test('a database that may forget what it committed is named, and fails where money is real', async () => {
  const name = new URL(db.url).pathname.slice(1);
  await db.pool.query(`ALTER DATABASE ${name} SET synchronous_commit = off`);
  await run();
  expect(lines('durability')[0]).toMatch(/^WARN.*synchronous_commit/);
  await db.pool.query(`ALTER DATABASE ${name} RESET synchronous_commit`);
  expect(durabilityFinding(['fsync'], true)).toMatchObject({ state: 'fail', todo: 'Set fsync = on.' });
  expect(durabilityFinding([], true).state).toBe('ok');
});
