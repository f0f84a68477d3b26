// What the operator console shows, on a real database: correct numbers, gapless pages, and no text of a mail.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { forceStoreStatus } from '@/testing/database/forced-status';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeChain, makeStore, TestClock, testConfig, testContext } from '@/testing/fixtures';
import { verifyAudit } from '@/lib/merchants/audit/verify';
import { writeSetupFile } from '@/lib/installation/setup/settings-file';
import { refundPath } from '@/lib/refunds/paths';
import { shortAmount, shortText } from './amounts';
import { exportAudit, listAuditShown } from './audit';
import { readHealth } from './health';
import { listFailedDeliveries, listFailedMails, retryDelivery, retryMail } from './jobs';
import { readOverview } from './overview';
import { countHolds, listHeldRefunds } from './refunds';
import { readStoreRefund } from '@/lib/dashboard/payment/refund';
import { readWallets } from './wallets';

let db: TestDatabase;
let storeId: string;
const clock = new TestClock();
const config = testConfig();
const context = () => testContext(db, clock, config);
const BY = { by: 'user:00000000-0000-4000-8000-000000000001', address: '192.0.2.1' };

beforeAll(async () => {
  db = await openTestDatabase();
  ({ storeId } = await makeStore(db, config));
});
afterAll(() => db.close());

const heldRefunds = (count: number, hold: string) =>
  db.pool.query(
    `INSERT INTO refunds (id, store_id, environment, refund_id, session_id, order_id, status, amount, currency, network, request_hash,
       day, created_at, sign_after, hold, hold_message, held_at)
     SELECT 're_' || $2 || n, $1, 'test', $2 || n, 'cs_x', 'o', 'processing', 1234, 'USDT', 'ethereum', '\\x00', now(), now(), now(),
       $2, 'x', now() FROM generate_series(1, $3::int) n`,
    [storeId, hold, count],
  );

test('held refunds are counted by reason and read page by page, each once', async () => {
  await heldRefunds(5, 'no_tokens');
  await heldRefunds(2, 'destination_needed');
  expect(await countHolds(context())).toEqual([
    { hold: 'no_tokens', count: 5 },
    { hold: 'destination_needed', count: 2 },
  ]);
  const seen: string[] = [];
  for (let before: string | null = null; ;) {
    const page = await listHeldRefunds(context(), { hold: null, before, limit: 3 });
    seen.push(...page.refunds.map(({ id }) => id));
    before = page.next;
    if (before === null) break;
  }
  expect(seen).toHaveLength(7);
  expect(new Set(seen).size).toBe(7);
  const { refunds } = await listHeldRefunds(context(), { hold: 'no_tokens', before: null, limit: 10 });
  expect(refunds[0]).toMatchObject({ amount: '12.34', hold: 'no_tokens', isCancelable: true, approval: null, storeId });
});

test('a held refund links to its page, whatever its merchant’s id', async () => {
  const { refunds } = await listHeldRefunds(context(), { hold: 'no_tokens', before: null, limit: 1 });
  const [, , store, environment, , id] = refundPath({ ...refunds[0]!, storeId }).split('/');
  const read = await readStoreRefund(context(), { storeId: store!, environment: environment as 'test' }, id!);
  expect(read?.refundId).toBe(refunds[0]?.refundId);
});

test('the first page counts waiting work', async () => {
  await forceStoreStatus(db.pool, storeId, 'pending');
  const { counts, freeze, networkCount } = await readOverview(context());
  expect(counts).toMatchObject({ waitingStores: 1, heldRefunds: 7, approvals: 0, differences: 0, failedMails: 0 });
  expect(freeze).toMatchObject({ isFrozen: null, waiting: null });
  expect(networkCount).toBe(2);
});

test('the first page says so when no worker has checked the sessions for a minute', async () => {
  const seen = (secondsAgo: number) =>
    db.pool.query(
      `INSERT INTO expiry_watch (since, seen_at) VALUES ($1, $1) ON CONFLICT (id) DO UPDATE SET seen_at = EXCLUDED.seen_at`,
      [new Date(clock.now().getTime() - 1000 * secondsAgo)],
    );
  const isSilent = async () => (await readOverview(context())).isWorkerSilent;
  expect(await isSilent()).toBe(false);
  await seen(59);
  expect(await isSilent()).toBe(false);
  await seen(61);
  expect(await isSilent()).toBe(true);
});

test('the first page lists missing parts of a public installation’s set-up, and nothing of a finished one', async () => {
  const unfinishedWith = async (settings: Record<string, string>) =>
    (await readOverview(testContext(db, clock, testConfig(settings)))).unfinished;
  const open = { PUBLIC_URL: 'https://pay.example.test' };
  const done = { ...open, LIVE_BSC_URLS: 'default', SMTP_URL: 'smtps://mail.example.test' };
  expect(await unfinishedWith({})).toEqual([]);
  expect(await unfinishedWith(open)).toEqual(['network', 'mail', 'operator']);
  expect(await unfinishedWith(done)).toEqual(['operator']);
  const operator = (email: string, disabledAt: Date | null) =>
    db.prisma.user.create({ data: { email, passwordHash: '-', role: 'operator', disabledAt } });
  await operator('one@example.test', null);
  await operator('gone@example.test', clock.now());
  expect(await unfinishedWith(done)).toEqual(['operator']);
  await operator('two@example.test', null);
  expect(await unfinishedWith(done)).toEqual([]);
});

test('the first page lists only an open set-up, and known recovery words that are not written down', async () => {
  const settings = {
    PUBLIC_URL: 'https://pay.example.test',
    LIVE_BSC_URLS: 'default',
    SMTP_URL: 'smtps://mail.example.test',
  };
  const unfinishedWith = async (more: Record<string, string>) =>
    (await readOverview(testContext(db, clock, testConfig({ ...settings, ...more })))).unfinished;
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-overview-'));
  const file = path.join(directory, 'settings.env');
  writeSetupFile(file, { state: 'open', settings: {} });
  expect(await unfinishedWith({ SETUP_FILE: file })).toEqual(['setup']);
  writeSetupFile(file, { state: 'finished', settings: {} });
  expect(await unfinishedWith({ SETUP_FILE: file })).toEqual([]);
  fs.rmSync(directory, { recursive: true });
  const words = (isConfirmed: boolean) =>
    db.pool.query(
      `INSERT INTO signer_states (id, is_frozen, checked_at, words_confirmed) VALUES (1, false, $1, $2)
       ON CONFLICT (id) DO UPDATE SET words_confirmed = $2`,
      [clock.now(), isConfirmed],
    );
  await words(false);
  expect(await unfinishedWith({})).toEqual(['words']);
  await words(true);
  expect(await unfinishedWith({})).toEqual([]);
  await db.pool.query('DELETE FROM signer_states');
});

test('the first page requests funding for a live refund wallet that was read and holds no token, or no coin for fees', async () => {
  const settings = {
    PUBLIC_URL: 'https://pay.example.test',
    LIVE_BSC_URLS: 'default',
    SMTP_URL: 'smtps://mail.example.test',
  };
  const unfinished = async () => (await readOverview(testContext(db, clock, testConfig(settings)))).unfinished;
  const chainId = await makeChain(db, 'bsc', clock.now().getTime() / 1000, 'live');
  expect(await unfinished()).toEqual([]);
  const held = (asset: string, amount: number) => {
    const reading = { chainId, address: '0xlive', asset, amount, blockNumber: 1n, readAt: clock.now() };
    const where = { chainId_address_asset: { chainId, address: '0xlive', asset } };
    return db.prisma.walletBalance.upsert({ where, create: reading, update: { amount } });
  };
  for (const asset of ['USDT', 'USDC', 'fee']) await held(asset, 0);
  expect(await unfinished()).toEqual(['funds']);
  await held('fee', 1);
  expect(await unfinished()).toEqual(['funds']);
  await held('USDC', 1);
  expect(await unfinished()).toEqual([]);
  await db.prisma.walletBalance.deleteMany({ where: { chainId } });
  await db.prisma.chain.delete({ where: { id: chainId } });
});

test('health identifies endpoints by their position, and shows the pool’s size', async () => {
  await makeChain(db, 'ethereum', clock.now().getTime() / 1000);
  await db.prisma.endpoint.create({
    data: {
      environment: 'test',
      network: 'ethereum',
      position: 1,
      state: 'failing',
      message: 'It hangs.',
      checkedAt: clock.now(),
    },
  });
  const { networks, pool } = await readHealth(context());
  expect(networks.find(({ network }) => network === 'ethereum')?.endpointRows).toMatchObject([
    { position: 1, state: 'failing', message: 'It hangs.' },
  ]);
  expect(pool).toEqual([{ environment: 'test', held: 0, size: config.ADDRESS_POOL_SIZE, isLow: true }]);
});

test('an empty fee coin and an insufficient token cause warnings', async () => {
  const { id: chainId } = await db.prisma.chain.findFirstOrThrow({ where: { network: 'ethereum' } });
  const reading = { chainId, address: '0xwallet', blockNumber: 1n, readAt: clock.now() };
  await db.prisma.walletBalance.createMany({
    data: [
      { ...reading, asset: 'fee', amount: 0 },
      { ...reading, asset: 'USDT', amount: 5_000_000 },
      { ...reading, asset: 'USDC', amount: 5_000_000 },
    ],
  });
  await db.pool.query(
    `INSERT INTO ledger_balances (environment, account, network, currency, amount) VALUES ('test', 'refund:' || $1, 'ethereum', 'USDT', -6000000)`,
    [storeId],
  );
  const { wallets } = await readWallets(context());
  const ethereum = wallets.find(({ network }) => network === 'ethereum');
  expect(ethereum?.assets.map(({ asset, warning, held }) => [asset, warning, held])).toEqual([
    ['USDT', 'short', '5.000000'],
    ['USDC', null, '5.000000'],
    ['ETH', 'fee_empty', '0.000000000000000000'],
  ]);
  await db.pool.query(`UPDATE wallet_balances SET amount = 0 WHERE asset = 'USDC'`);
  expect((await readWallets(context())).wallets.flatMap(({ assets }) => assets)).toContainEqual(
    expect.objectContaining({ asset: 'USDC', warning: 'empty' }),
  );
  clock.advance(7200);
  expect((await readWallets(context())).wallets[0]?.assets.map(({ warning }) => warning)).toContain('stale');
});

test('a failed mail can be retried once, without showing its text', async () => {
  const failed = await db.prisma.mail.create({
    data: {
      ...{ recipient: 'a@example.test', subject: 'Confirm', body: 'sealed', trouble: 'refused', attempts: 9 },
      ...{ createdAt: clock.now(), nextAt: clock.now(), failedAt: clock.now() },
    },
  });
  const { rows } = await listFailedMails(context(), { before: null, limit: 10 });
  expect(rows).toMatchObject([{ recipient: 'a@example.test', attempts: 9, trouble: 'refused' }]);
  expect(JSON.stringify(rows)).not.toContain('sealed');
  await retryMail(context(), { id: failed.id.toString(), ...BY });
  expect(await db.prisma.mail.findUniqueOrThrow({ where: { id: failed.id } })).toMatchObject({
    failedAt: null,
    attempts: 0,
  });
  const again = retryMail(context(), { id: failed.id.toString(), ...BY });
  await expect(again).rejects.toMatchObject({ code: 'NOTHING_TO_RETRY' });
});

test('the event of a failed delivery can be resent, but not one that did not fail', async () => {
  await db.pool.query(
    `INSERT INTO webhook_endpoints (id, store_id, environment, url, secret_ciphertext)
     VALUES (gen_random_uuid(), $1, 'test', 'http://127.0.0.1:1/', '\\x00')`,
    [storeId],
  );
  await db.pool.query(
    `INSERT INTO events (id, store_id, environment, type, object_id, body)
     VALUES ('evt_1', $1, 'test', 'checkout.session.completed', 'cs_1', '{}')`,
    [storeId],
  );
  const made = await db.pool.query<{ id: string }>(
    `INSERT INTO deliveries (event_id, store_id, environment, status, finished_at) VALUES ('evt_1', $1, 'test', 'failed', now()) RETURNING id`,
    [storeId],
  );
  const id = made.rows[0]?.id ?? '';
  const { rows } = await listFailedDeliveries(context(), { before: null, limit: 10 });
  expect(rows).toMatchObject([{ id, eventId: 'evt_1', type: 'checkout.session.completed', storeId }]);
  await retryDelivery(context(), { id, ...BY });
  expect(await db.prisma.delivery.count({ where: { eventId: 'evt_1', status: 'pending' } })).toBe(1);
  for (const wrong of ['0', '999999', 'x', "1'"])
    await expect(retryDelivery(context(), { id: wrong, ...BY })).rejects.toMatchObject({ code: 'NOTHING_TO_RETRY' });
});

test('the exported audit log contains what a reader needs to verify it, and is complete', async () => {
  const { entries, head } = await verifyAudit(db.pool);
  const lines = (await exportAudit(context()).text())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines).toHaveLength(Number(entries));
  expect(lines.at(-1)).toMatchObject({ number: entries.toString(), hash: head, actor: BY.by });
  const { entries: shown } = await listAuditShown(context(), { limit: 5, action: 'delivery' });
  expect(shown.map(({ action, actorName }) => [action, actorName])).toEqual([['delivery.retry', null]]);
});

test('amounts are short and exact', () => {
  expect([shortAmount(12_500_000n, 6), shortAmount(1n, 6), shortAmount(0n, 18), shortAmount(7n, 0)]).toEqual([
    '12.50',
    '0.000001',
    '0.00',
    '7.00',
  ]);
});

test('a wallet’s amount is truncated, never rounded up', () => {
  expect(shortText('999999.9999960987', 6)).toBe('999999.999996');
  expect(shortText('0.0000009', 6)).toBe('0.00');
});
