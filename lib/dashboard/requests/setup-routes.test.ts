// The set-up in the browser: only an operator makes it, and only while the installation has it open. Everything is tried before
// it is saved, and secrets go in but never come out.

import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import type { Context } from '@/lib/platform/context';
import { openPool, type Pool } from '@/lib/platform/database/db';
import type { ApiResponse } from '@/lib/platform/http';
import { finishSetup, readSetupView, saveNetwork, saveTreasury } from '@/lib/installation/setup/in-browser';
import { readSetupFile, writeSetupFile } from '@/lib/installation/setup/settings-file';
import { browserRequest, cookieOf, openAccounts, type Accounts } from '@/testing/accounts';
import type { FakeNode } from '@/testing/evm/fake-evm-node';
import { startLiveNode } from '@/testing/evm/fake-live-node';
import { startMailServer } from '@/testing/receivers/mail-server';
import { answerDashboard } from '@/lib/dashboard/adapter';
import { ROUTES } from '@/lib/dashboard/routes';

const SECRET = 'key-of-the-provider';
const ROLE = `setup_${randomBytes(6).toString('hex')}`;
const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-set-up-'));
const file = path.join(directory, 'settings.env');
let accounts: Accounts;
/** Uses a database role that is not the owner, like the web process. */
let context: Context;
let mails: Awaited<ReturnType<typeof startMailServer>>;
let node: FakeNode;
let cookie: string;
let email: string;

beforeAll(async () => {
  accounts = await openAccounts({
    PUBLIC_URL: 'https://pay.example',
    TRUSTED_PROXIES: '10.0.0.0/8',
    WEBHOOKS_TO_LOOPBACK: 'off',
    SETUP_FILE: file,
  });
  context = { ...accounts.context, pool: await poolOfWeb() };
  mails = await startMailServer();
  node = await startLiveNode(accounts.clock.now().getTime());
  const user = await accounts.user({ role: 'operator', hasTotp: true });
  email = user.email;
  cookie = await cookieOf(accounts.context, await accounts.login(user.id, { hasFactor: true }));
});
afterAll(async () => {
  mails.close();
  await node.close();
  await context.pool.end();
  await accounts.close();
  await dropRole();
  fs.rmSync(directory, { recursive: true });
});
beforeEach(async () => {
  node.chainId = 1;
  mails.state.refuses = false;
  writeSetupFile(file, { state: 'open', settings: {} });
  await words(false);
});

const words = (isConfirmed: boolean) =>
  accounts.database.pool.query(
    `INSERT INTO signer_states (id, is_frozen, checked_at, words_confirmed) VALUES (1, false, $1, $2)
     ON CONFLICT (id) DO UPDATE SET words_confirmed = $2`,
    [accounts.clock.now(), isConfirmed],
  );
async function poolOfWeb(): Promise<Pool> {
  const { pool, url } = accounts.database;
  await pool.query(`CREATE ROLE ${ROLE} LOGIN`);
  await pool.query(`GRANT ALL ON ALL TABLES IN SCHEMA public TO ${ROLE}`);
  await pool.query(`GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO ${ROLE}`);
  const own = new URL(url);
  own.username = ROLE;
  return openPool(own.href, 4);
}
/** Roles belong to the database server, not to the test's own database. */
async function dropRole(): Promise<void> {
  const server = openPool(inject('databaseServer'), 1);
  await server.query(`DROP ROLE ${ROLE}`);
  await server.end();
}

const everything: string[] = [];
async function call(what: string, body?: object): Promise<{ status: number; body: Record<string, unknown> }> {
  const method = body ? 'POST' : 'GET';
  const at = `/api/dashboard/operator/setup${what}`;
  const request = browserRequest(accounts.context, { method, path: at, cookie, ...(body ? { body } : {}) });
  const answer = (await answerDashboard(context, request, ROUTES)) as ApiResponse;
  everything.push(answer.body);
  return { status: answer.status, body: JSON.parse(answer.body) as Record<string, unknown> };
}
const network = (endpoints: string, over: object = {}) =>
  call('/networks', { network: 'ethereum', endpoints, ...over });
const mail = (over: object = {}) =>
  call('/mail', {
    ...{
      host: '127.0.0.1',
      port: mails.port,
      encryption: 'none',
      user: 'a',
      password: SECRET,
      from: 'pay@pay.example',
    },
    ...over,
  });
const TREASURY = '0x52908400098527886E0F7030069857D2E4169EE7';
const LIMITS = { per_refund: '1000.00', per_hour: '2000.00', per_day: '5000.00', approval_above: '500.00' };
const saved = () => readSetupFile(file);

test('endpoints are saved once each of them proved the chain, and can be removed again', async () => {
  const answer = await network(` ${node.url}/?key=${SECRET}\n`);
  expect(answer).toMatchObject({ status: 200, body: { is_saved: true } });
  expect(saved()?.settings).toEqual({
    LIVE_ETHEREUM_URLS: `${node.url}/?key=${SECRET}`,
    SIGNER_NETWORKS: 'ethereum@mainnet',
  });
  expect((await network('')).body).toMatchObject({ is_saved: true });
  expect(saved()?.settings).toEqual({});
});

test.each([
  ['https://one.example', true],
  ['https://one.example https://two.example', false],
  // Stands for several public endpoints.
  ['default', false],
])('the page asks for a second endpoint while a live network has a single one: %s', async (endpoints, isSingle) => {
  writeSetupFile(file, { state: 'open', settings: { LIVE_ETHEREUM_URLS: endpoints } });
  const view = await readSetupView(context);
  expect(view?.networks.filter((one) => one.isSingle).map(({ network: name }) => name)).toEqual(
    isSingle ? ['ethereum'] : [],
  );
});

test('an endpoint of another chain, or one that does not answer, is reported and not saved', async () => {
  node.chainId = 56;
  for (const endpoints of [node.url, `http://127.0.0.1:9/${SECRET}`]) {
    const { status, body } = await network(endpoints);
    expect([status, body.is_saved]).toEqual([200, false]);
    expect(JSON.stringify(body.findings)).toContain('"state":"fail"');
  }
  expect(saved()?.settings).toEqual({});
});

test('a test network is tried as such, and alone does not finish a set-up', async () => {
  const { body } = await network(node.url, { environment: 'test' });
  expect(body.is_saved).toBe(false);
  expect(JSON.stringify(body.findings)).toMatch(/^\[\{"state":"fail","message":"test endpoint 1: [^{}]*"\}\]$/);
  writeSetupFile(file, { state: 'open', settings: { TEST_ETHEREUM_URLS: 'default' } });
  const view = await readSetupView(context);
  expect(view?.networks.filter(({ endpoints }) => endpoints > 0)).toEqual([
    { network: 'ethereum', environment: 'test', endpoints: 1, isSingle: false },
  ]);
  await words(true);
  await expect(finishSetup(context, { by: 'user:x', address: '' })).rejects.toMatchObject({ param: 'networks' });
  expect((await network('', { environment: 'test' })).body.is_saved).toBe(true);
  expect(saved()?.settings).toEqual({});
});

test('an invalid endpoint, network or mail server is refused at its field', async () => {
  for (const [answer, param] of [
    [await network('nonsense'), 'endpoints'],
    [await network(`${node.url} ${node.url}`), 'endpoints'],
    [await network(node.url, { network: 'dogecoin' }), 'network'],
    [await mail({ host: 'a b' }), 'host'],
    [await mail({ encryption: 'maybe' }), 'encryption'],
    [await mail({ from: "O'Neill <a@b.example>" }), 'from'],
    [await call('/limits', { ...LIMITS, per_refund: '9999999' }), 'per_refund'],
  ] as const)
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'INVALID_PARAMETER', param } } });
  expect(saved()?.settings).toEqual({});
});

test('a mail server is saved when it accepted the test mail to the operator', async () => {
  mails.state.refuses = true;
  expect((await mail()).body).toEqual({ trouble: '535' });
  expect(saved()?.settings).toEqual({});
  mails.state.refuses = false;
  expect((await mail()).body).toEqual({ trouble: null });
  expect(mails.state.mails.at(-1)).toContain(`To: ${email}`);
  expect(saved()?.settings).toEqual({
    SMTP_URL: `smtp://a:${SECRET}@127.0.0.1:${mails.port}?requireTLS=false`,
    MAIL_FROM: 'pay@pay.example',
  });
});

test('the wallets to which the money goes are saved for service and signer alike, shown again, and can be removed', async () => {
  const wallets = { ethereum: TREASURY, solana: 'DFazMtMCpqCQBb7dpgK9XqocKcPFHgVwpvKfj87c7mRF' };
  expect((await call('/treasury', { wallets })).status).toBe(200);
  const stored = TREASURY.toLowerCase();
  const text = `ethereum@mainnet=${stored} solana@mainnet=${wallets.solana}`;
  expect(saved()?.settings).toEqual({ TREASURY_WALLETS: text, SIGNER_TREASURY_WALLETS: text });
  expect((await readSetupView(context))?.treasury).toEqual([
    { network: 'ethereum', address: stored },
    { network: 'bsc', address: null },
    { network: 'tron', address: null },
    { network: 'solana', address: wallets.solana },
  ]);
  await network(node.url);
  expect(saved()?.settings).toMatchObject({ TREASURY_WALLETS: text, SIGNER_NETWORKS: 'ethereum@mainnet' });
  const wrong = await call('/treasury', { wallets: { bsc: TREASURY.replace('69EE7', '69eE7') } });
  expect(wrong.body).toEqual({ refused: { network: 'bsc', code: 'checksum' } });
  expect(saved()?.settings).toMatchObject({ TREASURY_WALLETS: text });
  expect((await call('/treasury', { wallets: {} })).status).toBe(200);
  expect(Object.keys(saved()?.settings ?? {})).toEqual(['LIVE_ETHEREUM_URLS', 'SIGNER_NETWORKS']);
});

test('the wallets of the only merchant are saved as such, and the refund wallet is not one of them', async () => {
  const own = { ethereum: TREASURY };
  expect((await call('/treasury', { wallets: own, is_direct: true })).body).toEqual({ done: true });
  expect(saved()?.settings).toMatchObject({ DIRECT_SETTLEMENT: 'on' });
  expect(await readSetupView(context)).toMatchObject({ isDirect: true });
  const refused = { ...own, tron: 'refund-wallet' };
  expect((await call('/treasury', { wallets: refused, is_direct: true })).body).toEqual({
    refused: { network: 'tron', code: 'refund_wallet' },
  });
  expect((await call('/treasury', { wallets: {}, is_direct: true })).body).toMatchObject({
    refused: { code: 'no_wallet' },
  });
  expect(saved()?.settings).toMatchObject({ DIRECT_SETTLEMENT: 'on' });
  expect((await call('/treasury', { wallets: refused })).body).toEqual({ done: true });
  expect(saved()?.settings).not.toHaveProperty('DIRECT_SETTLEMENT');
});

test('a wallet of another network, a token, and an own deposit address are refused, each with its reason', async () => {
  const pooled = `0x${'d7'.repeat(20)}`;
  await accounts.database.pool.query(
    `INSERT INTO address_pool (environment, address_index, evm_address, tron_address, solana_address) VALUES ('live', 1, $1, 'T1', 'S1')`,
    [pooled],
  );
  const before = saved()?.settings;
  for (const [place, typed, refused] of [
    ['ethereum', 'TM3hWvJnpuyUmKRALBRwD7xH2puBjvwEgA', { code: 'other_network', looksLike: 'tron' }],
    ['tron', TREASURY, { code: 'other_network', looksLike: 'evm' }],
    ['ethereum', '0xdAC17F958D2ee523a2206206994597C13D831ec7', { code: 'token_contract' }],
    ['ethereum', pooled, { code: 'ours' }],
    ['bsc', `0x${'0'.repeat(40)}`, { code: 'zero' }],
  ] as const)
    expect((await call('/treasury', { wallets: { [place]: typed } })).body).toEqual({
      refused: { network: place, ...refused },
    });
  expect(saved()?.settings).toEqual(before);
});

test('a contract is saved once the operator confirms it, and nothing is saved while the network cannot say', async () => {
  await network(node.url);
  const typed = { wallets: { ethereum: TREASURY } };
  const asked = (kind: 'wallet' | 'contract' | 'unknown', are_contracts_confirmed = false) =>
    saveTreasury(
      { ...context, kindOf: async () => kind },
      { by: 'user:1', address: '127.0.0.1' },
      { ...typed, isDirect: true, areContractsConfirmed: are_contracts_confirmed },
    );
  expect(await asked('contract')).toEqual({ network: 'ethereum', code: 'contract' });
  await expect(asked('unknown')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect(saved()?.settings).not.toHaveProperty('TREASURY_WALLETS');
  expect(await asked('contract', true)).toBeNull();
  expect(await asked('wallet')).toBeNull();
  expect(saved()?.settings).toHaveProperty('TREASURY_WALLETS');
});

test('finishing needs a network and the written-down recovery words, and closes the set-up', async () => {
  const missing = (param: string) => ({ status: 400, body: { error: { param } } });
  expect(await call('/finish', {})).toMatchObject(missing('networks'));
  await network(node.url);
  await call('/limits', LIMITS);
  expect(await call('/finish', {})).toMatchObject(missing('words'));
  await words(true);
  expect((await call('')).body).toEqual({ is_open: true });
  expect((await call('/finish', {})).status).toBe(200);
  expect(saved()).toMatchObject({
    state: 'finished',
    settings: {
      SIGNER_CENTS_PER_REFUND: '100000',
      REFUND_APPROVAL_ABOVE: '50000',
      SIGNER_NETWORKS: 'ethereum@mainnet',
      // The next start uses the same address without further settings.
      ...{ PUBLIC_URL: 'https://pay.example', TRUSTED_PROXIES: '10.0.0.0/8' },
      ...{ HOST: context.config.HOST, PORT: String(context.config.PORT) },
    },
  });
  expect(saved()?.settings).not.toHaveProperty('DIRECT_CLIENTS');
  const before = fs.readFileSync(file, 'utf8');
  for (const again of [await network(''), await mail(), await call('/limits', LIMITS), await call('/finish', {})])
    expect(again).toMatchObject({ status: 404, body: { error: { code: 'NOT_FOUND' } } });
  expect(fs.readFileSync(file, 'utf8')).toBe(before);
  expect((await call('')).body).toEqual({ is_open: false });
  expect(await readSetupView(context)).toBeNull();
});

test('a process without the file has no set-up', async () => {
  const { SETUP_FILE: _, ...without } = context.config;
  const request = browserRequest(context, { method: 'GET', path: '/api/dashboard/operator/setup', cookie });
  const answer = (await answerDashboard({ ...context, config: without }, request, ROUTES)) as ApiResponse;
  expect(answer.status).toBe(404);
});

test('live networks are not saved while web would not start with them: its address, or its role at the database', async () => {
  const open = { ...context, config: { ...context.config, TRUSTED_PROXIES: [] } };
  expect((await readSetupView(open))?.obstacles).toEqual([expect.stringMatching(/^TRUSTED_PROXIES is not set/)]);
  expect((await readSetupView(context))?.obstacles).toEqual([]);
  const asOwner = accounts.context;
  expect((await readSetupView(asOwner))?.obstacles).toEqual([expect.stringMatching(/is a superuser/)]);
  const given = { network: 'ethereum', environment: 'live' as const, endpoints: [node.url] };
  const actor = { by: 'user:x', address: '' };
  await expect(saveNetwork(asOwner, actor, given)).rejects.toMatchObject({ param: 'endpoints' });
  await words(true);
  await saveNetwork(context, actor, given);
  await expect(finishSetup(asOwner, actor)).rejects.toMatchObject({ param: 'networks' });
  expect(saved()?.state).toBe('open');
});

test('no answer, no page and no entry of the audit log holds an endpoint’s key or a password', async () => {
  await network(`${node.url}/?key=${SECRET}`);
  await mail();
  const view = JSON.stringify(await readSetupView(context), (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  const { rows } = await accounts.database.pool.query(`SELECT * FROM audit_entries WHERE action = 'setup.save'`);
  expect(rows.length).toBeGreaterThan(3);
  expect([...everything, view, JSON.stringify(rows)].join('\n')).not.toContain(SECRET);
});
