// Unconfirmed accounts are deleted after a week, and no other account is.

import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { listAudit } from '@/lib/merchants/audit/read';
import { makeStore } from '@/testing/fixtures';
import { FROM, openAccounts, PASSWORD, type Accounts } from '@/testing/accounts';
import { clearAccounts } from './clear';
import { confirmEmail } from './confirm';
import { signInByPassword } from './sign-in/sign-in';
import { signUp } from './sign-up';
import { deleteUnconfirmed } from './unconfirmed';

const DAY = 86_400;
let accounts: Accounts;
beforeAll(async () => void (accounts = await openAccounts()));
afterAll(() => accounts.close());

const sql = (text: string, values: unknown[] = []) => accounts.database.pool.query(text, values);
const idOf = async (email: string): Promise<string | null> =>
  (await sql('SELECT id FROM users WHERE email = $1', [email])).rows[0]?.id ?? null;
const join = async (email: string): Promise<string> => {
  await signUp(accounts.context, { email, from: FROM });
  return (await idOf(email)) as string;
};

test('deletes an account a week after its creation, and its address can sign up again', async () => {
  const id = await join('typo@shop.example');
  accounts.clock.advance(7 * DAY);
  await clearAccounts(accounts.context);
  expect(await idOf('typo@shop.example')).toBe(id);
  accounts.clock.advance(1);
  expect(await clearAccounts(accounts.context)).toEqual({ more: false });
  expect(await idOf('typo@shop.example')).toBeNull();
  const { entries } = await listAudit(accounts.database.pool, { limit: 10 });
  expect(entries.map(({ action, target }) => `${action} ${target}`)).toEqual([
    `account.delete_unconfirmed ${id}`,
    `account.sign_up ${id}`,
  ]);
  await join('typo@shop.example');
  const token = (await accounts.lastMail('typo@shop.example'))?.token ?? '';
  await confirmEmail(accounts.context, { token, password: PASSWORD });
  accounts.clock.advance(30 * DAY);
  await clearAccounts(accounts.context);
  expect(await idOf('typo@shop.example')).not.toBeNull();
});

test('keeps an account that signed up again within the day, because its new link still confirms it', async () => {
  await join('late@shop.example');
  accounts.clock.advance(7 * DAY);
  await join('late@shop.example');
  accounts.clock.advance(3600);
  await clearAccounts(accounts.context);
  const token = (await accounts.lastMail('late@shop.example'))?.token ?? '';
  await confirmEmail(accounts.context, { token, password: PASSWORD });
  expect(await idOf('late@shop.example')).not.toBeNull();
});

test('never deletes an account with a login, a store, a membership, a factor, a confirmed address, or one that is disabled', async () => {
  const store = await makeStore(accounts.database, accounts.config);
  const ids: Record<string, string> = {};
  for (const name of ['login', 'store', 'member', 'passkey', 'code', 'confirmed', 'disabled', 'operator', 'nothing'])
    ids[name] = await join(`${name}@kept.example`);
  const { login, member } = accounts;
  await login(ids.login as string);
  await sql('UPDATE stores SET owner_id = $1 WHERE id = $2', [ids.store, store.storeId]);
  await member(store.storeId, ids.member as string, 'viewer');
  await sql(`INSERT INTO recovery_codes (user_id, code_hash) VALUES ($1, 'x')`, [ids.code]);
  await sql('UPDATE users SET email_confirmed_at = created_at WHERE id = $1', [ids.confirmed]);
  await sql('UPDATE users SET disabled_at = created_at WHERE id = $1', [ids.disabled]);
  await sql(`UPDATE users SET role = 'operator' WHERE id = $1`, [ids.operator]);
  await sql(`INSERT INTO passkeys (id, user_id, name, public_key, created_at) VALUES ('x', $1, '', 'x', now())`, [
    ids.passkey,
  ]);
  accounts.clock.advance(8 * DAY);
  await deleteUnconfirmed(accounts.context);
  const { rows } = await sql(`SELECT email FROM users WHERE email LIKE '%@kept.example'`);
  expect(rows.map(({ email }) => email.split('@')[0]).toSorted((a, b) => String(a).localeCompare(String(b)))).toEqual(
    Object.keys(ids)
      .filter((name) => name !== 'nothing')
      .toSorted(),
  );
});

test('an account that the database refuses to delete does not prevent the deletion of others', async () => {
  const [bad, good] = [await join('bad@row.example'), await join('good@row.example')];
  await sql('CREATE TABLE kept_by (user_id uuid REFERENCES users (id))');
  await sql('INSERT INTO kept_by VALUES ($1)', [bad]);
  accounts.clock.advance(8 * DAY);
  const warn = vi.spyOn(accounts.context.log, 'warn');
  await deleteUnconfirmed(accounts.context);
  await sql('DROP TABLE kept_by');
  expect([await idOf('bad@row.example'), await idOf('good@row.example')]).toEqual([bad, null]);
  expect(good).not.toBeNull();
  expect(warn).toHaveBeenCalledWith(expect.objectContaining({ user: bad }), expect.any(String));
  await deleteUnconfirmed(accounts.context);
  expect(await idOf('bad@row.example')).toBeNull();
});

test('the database refuses every deletion of a confirmed account or an operator', async () => {
  const merchant = await accounts.user();
  const operator = await accounts.user({ role: 'operator' });
  await sql('UPDATE users SET email_confirmed_at = NULL WHERE id = $1', [operator.id]);
  for (const { id } of [merchant, operator])
    await expect(sql('DELETE FROM users WHERE id = $1', [id])).rejects.toThrow('only a merchant whose address');
  await expect(
    signInByPassword(accounts.context, { email: merchant.email, password: PASSWORD, from: FROM }),
  ).resolves.toMatchObject({ isComplete: true });
});

test('keeps the name of an account that signs up again without one', async () => {
  const email = 'again@shop.example';
  for (const name of ['Ada', undefined]) await signUp(accounts.context, { email, name, from: FROM });
  expect((await sql('SELECT name FROM users WHERE email = $1', [email])).rows).toEqual([{ name: 'Ada' }]);
});
