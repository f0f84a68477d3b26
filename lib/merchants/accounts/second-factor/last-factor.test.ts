// An operator, or an owner of a live store, never ends up with only a password, whichever factor is removed and under
// concurrent removals. All others may.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { forceStoreStatus } from '@/testing/database/forced-status';
import { FROM, openAccounts, type Accounts } from '@/testing/accounts';
import { makeStore } from '@/testing/fixtures';
import type { MemberRole, StoreStatus, UserRole } from '@/prisma/generated/enums';
import { findLogin, type Who } from '@/lib/merchants/accounts/sign-in/logins';
import { removePasskey } from './passkeys';
import { removeTotp } from './two-factor';

const LAST = { code: 'LAST_FACTOR', status: 400 };
let accounts: Accounts;
beforeAll(async () => {
  accounts = await openAccounts();
});
afterAll(() => accounts.close());

let made = 0;

/** A signed-in user with or without an authenticator, and with passkeys. */
async function signedIn(of: { role?: UserRole; hasTotp?: boolean; passkeys?: number }) {
  const { id } = await accounts.user({ role: 'operator', hasTotp: false, ...of });
  const keys = Array.from({ length: of.passkeys ?? 0 }, () => `key${++made}`);
  for (const key of keys)
    await accounts.database.pool.query(
      `INSERT INTO passkeys (id, user_id, name, public_key, counter, transports, created_at)
       VALUES ($1, $2, 'Key', 'x', 0, '{}', $3)`,
      [key, id, accounts.clock.now()],
    );
  const who = (await findLogin(accounts.context, await accounts.login(id, { hasFactor: true }))) as Who;
  const factors = async () => {
    const user = await accounts.database.prisma.user.findUniqueOrThrow({ where: { id }, include: { passkeys: true } });
    return { hasTotp: user.totpConfirmedAt !== null && user.totpCiphertext !== null, passkeys: user.passkeys.length };
  };
  const { context } = accounts;
  return {
    id,
    keys,
    factors,
    dropTotp: (over: object = {}) => removeTotp({ ...context, config: { ...context.config, ...over } }, who, FROM),
    dropKey: (key: string | undefined, over: object = {}) =>
      removePasskey({ ...context, config: { ...context.config, ...over } }, who, { id: key ?? '', from: FROM }),
  };
}

test('an operator keeps the last factor and may remove any other', async () => {
  const app = await signedIn({ hasTotp: true });
  await expect(app.dropTotp()).rejects.toMatchObject(LAST);
  expect(await app.factors()).toEqual({ hasTotp: true, passkeys: 0 });
  const keys = await signedIn({ passkeys: 2 });
  await keys.dropKey(keys.keys[0]);
  await expect(keys.dropKey(keys.keys[1])).rejects.toMatchObject(LAST);
  expect(await keys.factors()).toEqual({ hasTotp: false, passkeys: 1 });
  const both = await signedIn({ hasTotp: true, passkeys: 1 });
  await both.dropTotp();
  await expect(both.dropKey(both.keys[0])).rejects.toMatchObject(LAST);
  expect(await both.factors()).toEqual({ hasTotp: false, passkeys: 1 });
});

/** A member of a store, with an authenticator and a passkey. */
async function member(role: MemberRole, status: StoreStatus) {
  const { storeId } = await makeStore(accounts.database, accounts.config);
  await forceStoreStatus(accounts.database.pool, storeId, status);
  const person = await signedIn({ role: 'merchant', hasTotp: true, passkeys: 1 });
  await accounts.member(storeId, person.id, role);
  return person;
}

test.each([
  ['owner', 'approved', true],
  ['owner', 'suspended', true],
  ['owner', 'pending', false],
  ['owner', 'rejected', false],
  ['developer', 'approved', false],
  ['support', 'approved', false],
] as const)('%s of a store that is %s keeps the last factor: %s', async (role, status, keeps) => {
  const person = await member(role, status);
  await person.dropTotp();
  if (keeps) await expect(person.dropKey(person.keys[0])).rejects.toMatchObject(LAST);
  else await person.dropKey(person.keys[0]);
  expect(await person.factors()).toEqual({ hasTotp: false, passkeys: keeps ? 1 : 0 });
  // A local sandbox has no live money.
  if (keeps) await person.dropKey(person.keys[0], { SANDBOX_ORIGIN: 'http://127.0.0.1:5' });
});

test('of two factors that are removed concurrently one stays', async () => {
  for (let round = 0; round < 5; round++) {
    const { keys, factors, dropKey, dropTotp } = await signedIn({
      hasTotp: round % 2 === 0,
      passkeys: 2 - ((round + 1) % 2),
    });
    const drops = round % 2 === 0 ? [dropTotp(), dropKey(keys[0])] : [dropKey(keys[0]), dropKey(keys[1])];
    const ends = await Promise.allSettled(drops);
    expect(ends.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    const { hasTotp, passkeys } = await factors();
    expect(Number(hasTotp) + passkeys).toBe(1);
  }
});

test('a merchant and the operator of a local sandbox may have no second factor', async () => {
  const merchant = await signedIn({ role: 'merchant', hasTotp: true, passkeys: 1 });
  await merchant.dropTotp();
  await merchant.dropKey(merchant.keys[0]);
  expect(await merchant.factors()).toEqual({ hasTotp: false, passkeys: 0 });
  const SANDBOX_ORIGIN = 'http://127.0.0.1:5';
  const demo = await signedIn({ hasTotp: true });
  await expect(demo.dropTotp({ SANDBOX_ORIGIN, PUBLIC_URL: 'https://pay.example' })).rejects.toMatchObject(LAST);
  await demo.dropTotp({ SANDBOX_ORIGIN });
  expect(await demo.factors()).toEqual({ hasTotp: false, passkeys: 0 });
});
