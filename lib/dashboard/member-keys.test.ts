// What a removed member leaves: no login, and only those of their keys that the owner keeps.

import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { listAudit } from '@/lib/merchants/audit/read';
import type { ApiResponse } from '@/lib/platform/http';
import { browserRequest, cookieOf, openAccounts, type Accounts, type TestUser } from '@/testing/accounts';
import { mailBody } from '@/lib/merchants/mail/queue';
import { listKeys } from '@/lib/merchants/api-keys/read-access';
import { makeStore } from '@/testing/fixtures';
import { answerDashboard } from './adapter';
import { readMembers } from './lists/members';
import { ROUTES } from './routes';

type Ask = (method: string, path: string, body?: unknown) => Promise<{ status: number; body: Record<string, unknown> }>;
const MIGRATION = path.join(import.meta.dirname, '../../prisma/migrations/20261122240001_key_makers/migration.sql');
let accounts: Accounts;
let storeId: string;
let owner: Ask;
let ownerUser: TestUser;
let developer: TestUser;
let theirs: Ask;

beforeAll(async () => void (accounts = await openAccounts()));
afterAll(() => accounts.close());
beforeEach(async () => {
  ({ storeId } = await makeStore(accounts.database, accounts.config));
  ownerUser = await accounts.user({ hasTotp: true });
  developer = await accounts.user({ hasTotp: true });
  await accounts.member(storeId, ownerUser.id, 'owner');
  await accounts.member(storeId, developer.id, 'developer');
  [owner, theirs] = [await asking(ownerUser), await asking(developer)];
});

async function asking({ id }: TestUser): Promise<Ask> {
  const cookie = await cookieOf(accounts.context, await accounts.login(id, { hasFactor: true }));
  return async (method, place, body) => {
    const request = browserRequest(accounts.context, { method, path: `/api/dashboard${place}`, cookie, body });
    const { status, body: text } = (await answerDashboard(accounts.context, request, ROUTES)) as ApiResponse;
    return { status, body: JSON.parse(text) };
  };
}
const makeKey = async (call: Ask, name: string, environment = 'live') =>
  Number((await call('POST', `/stores/${storeId}/${environment}/keys`, { name })).body.id);
const keysOf = async (user: TestUser) =>
  (await readMembers(accounts.context, storeId)).members.find(({ userId }) => userId === user.id)?.keys;
const isAlive = async (id: number) =>
  (await accounts.database.prisma.apiKey.findUniqueOrThrow({ where: { id } })).revokedAt === null;
const remove = (body: unknown) => owner('POST', `/stores/${storeId}/members/${developer.id}/remove`, body);

test('the page shows the working keys that a member created or rolled, but not keys of others', async () => {
  const [live, trial, old] = [
    await makeKey(theirs, 'Live'),
    await makeKey(theirs, 'Trial', 'test'),
    await makeKey(theirs, 'Old'),
  ];
  await owner('POST', `/stores/${storeId}/live/keys/${old}/revoke`);
  await makeKey(owner, 'Boss');
  const rolled = await owner('POST', `/stores/${storeId}/test/keys/${trial}/roll`, { overlap_seconds: 0 });
  expect(rolled.status).toBe(200);
  expect(await keysOf(developer)).toMatchObject([{ id: live, name: 'Live', environment: 'live' }]);
});

test('removing a member revokes the keys that the owner names, in the audit log, and ends the member’s logins', async () => {
  const [gone, kept] = [await makeKey(theirs, 'Gone'), await makeKey(theirs, 'Kept')];
  expect((await remove({ revoke_keys: [gone] })).status).toBe(200);
  expect([await isAlive(gone), await isAlive(kept)]).toEqual([false, true]);
  const { entries } = await listAudit(accounts.database.pool, { storeId, limit: 2 });
  expect(entries.map(({ action, target }) => [action, target])).toEqual([
    ['member.remove', developer.id],
    ['key.revoke', String(gone)],
  ]);
  expect((await theirs('GET', '/account/devices')).status).toBe(401);
});

test('a key that the member did not create, or of another store, is refused, and nothing changes', async () => {
  const boss = await makeKey(owner, 'Boss');
  const foreign = await makeStore(accounts.database, accounts.config);
  for (const id of [boss, foreign.keyId, 2_000_000_000])
    expect((await remove({ revoke_keys: [id] })).body).toMatchObject({ error: { param: 'revoke_keys' } });
  expect([await isAlive(boss), await isAlive(foreign.keyId)]).toEqual([true, true]);
  expect(await keysOf(developer)).toEqual([]);
});

test('a member who leaves by themselves stays signed in', async () => {
  expect((await theirs('POST', `/stores/${storeId}/leave`)).status).toBe(200);
  expect((await theirs('POST', '/stores', { name: 'Their own shop' })).status).toBe(200);
});

test('the migration derives the creators of existing keys from the audit log', async () => {
  const [made, other] = [await makeKey(theirs, 'Made', 'test'), await makeKey(owner, 'Other', 'test')];
  const { body } = await theirs('POST', `/stores/${storeId}/test/keys/${other}/roll`, {});
  const before = await keysOf(developer);
  expect(before?.map(({ id }) => id)).toEqual([made, Number(body.id)]);
  const { pool } = accounts.database;
  await pool.query('UPDATE api_keys SET created_by = NULL WHERE store_id = $1', [storeId]);
  const [, backfill = ''] = /(UPDATE [^;]+;)/.exec(fs.readFileSync(MIGRATION, 'utf8')) ?? [];
  await pool.query(backfill);
  expect(await keysOf(developer)).toEqual(before);
});

const mailsOf = async ({ email }: TestUser) => {
  const rows = await accounts.database.prisma.mail.findMany({
    where: { recipient: email, subject: 'API keys of a former member' },
  });
  return rows.map((row) => mailBody(accounts.context, row));
};
const lastAudit = async () =>
  (await listAudit(accounts.database.pool, { storeId, limit: 1 })).entries.map(({ action, details }) => [
    action,
    details,
  ]);

test('a demoted owner keeps no live key in secret: the other owners get its name and a link to the keys', async () => {
  const former = await accounts.user({ hasTotp: true });
  await accounts.member(storeId, former.id, 'owner');
  const call = await asking(former);
  const [till] = [await makeKey(call, 'Till'), await makeKey(call, 'Sandbox', 'test')];
  expect((await owner('PATCH', `/stores/${storeId}/members/${former.id}`, { role: 'support' })).status).toBe(200);
  expect(await isAlive(till)).toBe(true);
  const [mail, ...more] = await mailsOf(ownerUser);
  expect(more).toEqual([]);
  expect(mail).toContain(`${former.email} was removed from`);
  expect(mail).toContain('“Till”.');
  expect(mail).toContain(`/dashboard/${storeId}/live/keys`);
  expect(mail).not.toContain('Sandbox');
  expect(await mailsOf(former)).toEqual([]);
  expect(await lastAudit()).toEqual([['member.role', { from: 'owner', to: 'support', kept_keys: [till] }]]);
});

test('the owners are notified of a removed member’s live keys that were not revoked, and not when there are none', async () => {
  const [gone, kept] = [await makeKey(theirs, 'Gone'), await makeKey(theirs, 'Kept')];
  expect((await remove({ revoke_keys: [gone] })).status).toBe(200);
  const [mail] = await mailsOf(ownerUser);
  expect(mail).toContain('“Kept”.');
  expect(mail).not.toContain('Gone');
  const keys = await listKeys(accounts.database.pool, { storeId, environment: 'live' });
  expect(keys.find(({ id }) => id === kept)?.creator).toBe(developer.email);
  const other = await accounts.user({ hasTotp: true });
  await accounts.member(storeId, other.id, 'developer');
  await owner('PATCH', `/stores/${storeId}/members/${other.id}`, { role: 'viewer' });
  expect(await mailsOf(ownerUser)).toHaveLength(1);
});
