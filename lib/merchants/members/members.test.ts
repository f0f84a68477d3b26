// Invitations, members and users (rows D-05, D-25, D-29).

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findLogin, type Who } from '@/lib/merchants/accounts/sign-in/logins';
import { requestReset, resetPassword } from '@/lib/merchants/accounts/password/reset';
import { changeUserRole, disableUser, enableUser, listUsers } from '@/lib/merchants/accounts/users-admin';
import { mailBody } from '@/lib/merchants/mail/queue';
import { forceStoreStatus } from '@/testing/database/forced-status';
import { FROM, openAccounts, type Accounts, type TestUser } from '@/testing/accounts';
import { makeStore } from '@/testing/fixtures';
import { acceptInvitation, readInvitation } from './accept';
import { changeMemberRole, listMembers, removeMember } from './change';
import { cancelInvitation, inviteMember, listInvitations, type Inviter } from './invite';

let accounts: Accounts;
let storeId: string;
let owner: Inviter;
beforeAll(async () => {
  accounts = await openAccounts();
});
afterAll(() => accounts.close());
beforeEach(async () => {
  ({ storeId } = await makeStore(accounts.database, accounts.config));
  const [first] = await listMembers(accounts.database.pool, storeId);
  const { userId, email } = first!;
  owner = { userId, email, by: `user:${userId}`, address: FROM.address, locale: null };
});

const whoOf = async (user: TestUser): Promise<Who> =>
  (await findLogin(accounts.context, await accounts.login(user.id)))!;
const invite = async (email: string, role: 'owner' | 'viewer' = 'viewer') => {
  await inviteMember(accounts.context, owner, { storeId, email, role });
  return (await accounts.lastMail(email))?.token ?? '';
};
const accept = async (user: TestUser, token: string) =>
  acceptInvitation(accounts.context, await whoOf(user), { token, address: '' });
const roles = async () => (await listMembers(accounts.database.pool, storeId)).map(({ role }) => role);

describe('an invitation', () => {
  test('D-25: makes its addressee a member with its role, once', async () => {
    const user = await accounts.user();
    const token = await invite(user.email);
    expect(await readInvitation(accounts.context, token)).toMatchObject({ storeId, role: 'viewer', email: user.email });
    const outcomes = await Promise.allSettled([accept(user, token), accept(user, token)]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await roles()).toEqual(['owner', 'viewer']);
    expect((await whoOf(user)).memberships).toEqual([{ storeId, role: 'viewer', isLive: true }]);
    await removeMember(accounts.context, owner, { storeId, userId: user.id });
    await expect(accept(user, token)).rejects.toMatchObject({ code: 'link_invalid' });
  });

  test('D-25: is invalid for any other user, and stays valid for its addressee', async () => {
    const [user, other] = [await accounts.user(), await accounts.user()];
    const token = await invite(user.email);
    await expect(accept(other, token)).rejects.toMatchObject({ code: 'link_invalid' });
    const operator = await accounts.user({ role: 'operator' });
    await expect(accept(operator, token)).rejects.toMatchObject({ code: 'permission_denied' });
    expect(await accept(user, token)).toEqual({ store_id: storeId, role: 'viewer' });
  });

  test.each(['a newer one', 'being taken back', 'the inviter’s going', 'the inviter’s role', 'seven days'])(
    'D-25: is ended by %s',
    async (by) => {
      const user = await accounts.user();
      const token = await invite(user.email);
      const second = await accounts.user();
      await accounts.member(storeId, second.id, 'owner');
      if (by === 'a newer one') await invite(user.email);
      if (by === 'being taken back') await cancelInvitation(accounts.context, owner, { storeId, email: user.email });
      if (by === 'the inviter’s going') await removeMember(accounts.context, owner, { storeId, userId: owner.userId });
      if (by === 'the inviter’s role')
        await changeMemberRole(accounts.context, owner, { storeId, userId: owner.userId, role: 'viewer' });
      if (by === 'seven days') accounts.clock.advance(7 * 86_400);
      await expect(accept(user, token)).rejects.toMatchObject({ code: 'link_invalid' });
    },
  );

  test('names its store only once an operator has seen that name', async () => {
    const { pool } = accounts.database;
    const { rows } = await pool.query('SELECT name FROM stores WHERE id = $1', [storeId]);
    const mailOf = async (email: string, status: string) => {
      await forceStoreStatus(pool, storeId, status);
      await invite(email);
      const mail = await accounts.lastMail(email);
      return `${mail?.subject} ${mail?.text}`;
    };
    expect(await mailOf('first@example.test', 'pending')).not.toContain(rows[0].name);
    expect(await mailOf('second@example.test', 'approved')).toContain(rows[0].name);
  });

  test('D-25: is voided when an operator disables the inviter', async () => {
    const user = await accounts.user();
    const token = await invite(user.email, 'owner');
    const operator = await accounts.user({ role: 'operator' });
    await disableUser(accounts.context, { userId: operator.id, by: `user:${operator.id}`, address: '' }, owner.userId);
    await expect(accept(user, token)).rejects.toMatchObject({ code: 'link_invalid' });
  });

  test('D-25: of a thief is voided when the owner of the account sets a new password by mail', async () => {
    const user = await accounts.user();
    const token = await invite(user.email, 'owner');
    await requestReset(accounts.context, { email: owner.email, from: FROM });
    const reset = (await accounts.lastMail(owner.email))?.token ?? '';
    const password = 'correct staple horse of mine';
    await resetPassword(accounts.context, { token: reset, password, from: FROM });
    await expect(accept(user, token)).rejects.toMatchObject({ code: 'link_invalid' });
  });

  test('never changes the role of an existing member', async () => {
    const user = await accounts.user();
    const token = await invite(user.email);
    await accounts.member(storeId, user.id, 'developer');
    expect(await accept(user, token)).toMatchObject({ role: 'developer' });
    await expect(
      inviteMember(accounts.context, owner, { storeId, email: user.email, role: 'owner' }),
    ).rejects.toMatchObject({ code: 'INVALID_PARAMETER' });
  });

  test('counts towards twenty a day for its store and its inviter, even when canceled', async () => {
    const { context, database, config, clock } = accounts;
    for (let n = 0; n < 20; n++) {
      const email = `relay${n}@elsewhere.example`;
      await inviteMember(context, owner, { storeId, email, role: 'viewer' });
      await cancelInvitation(context, owner, { storeId, email });
    }
    const one = { storeId, email: 'relay@elsewhere.example', role: 'viewer' } as const;
    await expect(inviteMember(context, owner, one)).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfter: 86_400 });
    // The store's daily limit applies to another inviter, and the inviter's applies in another store.
    const second = await accounts.user();
    const other: Inviter = { ...owner, userId: second.id, email: second.email, by: `user:${second.id}` };
    await expect(inviteMember(context, other, one)).rejects.toMatchObject({ code: 'RATE_LIMITED' });
    const { storeId: elsewhere } = await makeStore(database, config);
    await expect(inviteMember(context, owner, { ...one, storeId: elsewhere })).rejects.toMatchObject({
      code: 'RATE_LIMITED',
    });
    expect(await accounts.lastMail(one.email)).toBeNull();
    await inviteMember(context, other, { ...one, storeId: elsewhere });
    clock.advance(86_400);
    await inviteMember(context, owner, one);
  });

  test('is listed while it is open', async () => {
    await invite('open@example.test');
    expect(await listInvitations(accounts.database.pool, storeId, accounts.clock.now())).toMatchObject([
      { email: 'open@example.test', role: 'viewer' },
    ]);
  });
});

describe('a store', () => {
  test('D-29: keeps its last owner, whichever member removes the role', async () => {
    const leave = { storeId, userId: owner.userId };
    await expect(removeMember(accounts.context, owner, leave)).rejects.toMatchObject({ code: 'LAST_OWNER' });
    await expect(changeMemberRole(accounts.context, owner, { ...leave, role: 'viewer' })).rejects.toMatchObject({
      code: 'LAST_OWNER',
    });
    expect(await roles()).toEqual(['owner']);
  });

  test('D-29: keeps one of two owners who leave at once', async () => {
    const second = await accounts.user();
    await accounts.member(storeId, second.id, 'owner');
    const outcomes = await Promise.allSettled(
      [owner.userId, second.id].map((userId) => removeMember(accounts.context, owner, { storeId, userId })),
    );
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    expect(await roles()).toEqual(['owner']);
  });

  test('cannot change members of other stores', async () => {
    const { storeId: other } = await makeStore(accounts.database, accounts.config);
    const [theirs] = await listMembers(accounts.database.pool, other);
    const of = { storeId, userId: theirs!.userId };
    await expect(removeMember(accounts.context, owner, of)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(changeMemberRole(accounts.context, owner, { ...of, role: 'viewer' })).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });
});

describe('a change of the owners', () => {
  const mails = async () => {
    const found = await accounts.database.prisma.mail.findMany({ orderBy: { id: 'asc' } });
    await accounts.database.prisma.mail.deleteMany();
    return found
      .filter(({ subject }) => subject === 'The owners of your store changed')
      .map((mail) => [mail.recipient, / (is [a-z ]*owner)/.exec(mailBody(accounts.context, mail))?.[1]]);
  };
  const to = (users: { email: string }[], what: string) =>
    expect.arrayContaining(users.map(({ email }) => [email, what]));

  test('is mailed to the owners before and after it, so that an owner who is removed learns of it', async () => {
    const [second, viewer] = [await accounts.user(), await accounts.user()];
    await mails();
    await accept(second, await invite(second.email, 'owner'));
    const joined = await mails();
    expect(joined).toHaveLength(2);
    expect(joined).toEqual(to([owner, second], 'is an owner'));
    await accept(viewer, await invite(viewer.email));
    await changeMemberRole(accounts.context, owner, { storeId, userId: viewer.id, role: 'developer' });
    await removeMember(accounts.context, owner, { storeId, userId: viewer.id });
    expect(await mails()).toEqual([]);
    const thief = { ...owner, userId: second.id, email: second.email, by: `user:${second.id}` };
    await changeMemberRole(accounts.context, thief, { storeId, userId: owner.userId, role: 'viewer' });
    expect(await mails()).toEqual(to([owner, second], 'is no longer an owner'));
    await changeMemberRole(accounts.context, thief, { storeId, userId: owner.userId, role: 'owner' });
    expect(await mails()).toEqual(to([owner, second], 'is an owner'));
    await removeMember(accounts.context, thief, { storeId, userId: owner.userId });
    expect(await mails()).toEqual(to([owner, second], 'is no longer an owner'));
  });
});

describe('an operator', () => {
  const operatorOf = ({ id }: TestUser) => ({ userId: id, by: `user:${id}`, address: '' });

  test('D-29: neither disables nor demotes themselves; of two who disable each other one stays', async () => {
    const fresh = await openAccounts();
    try {
      const [one, two] = [await fresh.user({ role: 'operator' }), await fresh.user({ role: 'operator' })];
      await expect(disableUser(fresh.context, operatorOf(one), one.id)).rejects.toMatchObject({ code: 'NOT_YOURSELF' });
      await expect(
        changeUserRole(fresh.context, operatorOf(one), { userId: one.id, role: 'merchant' }),
      ).rejects.toMatchObject({ code: 'NOT_YOURSELF' });
      const outcomes = await Promise.allSettled([
        disableUser(fresh.context, operatorOf(one), two.id),
        disableUser(fresh.context, operatorOf(two), one.id),
      ]);
      expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    } finally {
      await fresh.close();
    }
  });

  test('D-05: ends every login of a user whom they disable or give another role', async () => {
    const [operator, user] = [await accounts.user({ role: 'operator' }), await accounts.user()];
    const first = await accounts.login(user.id);
    await disableUser(accounts.context, operatorOf(operator), user.id);
    expect(await findLogin(accounts.context, first)).toBeNull();
    await enableUser(accounts.context, operatorOf(operator), user.id);
    expect(await findLogin(accounts.context, first)).toBeNull();
    const candidate = await accounts.user({ hasTotp: true });
    const second = await accounts.login(candidate.id, { hasFactor: true });
    await changeUserRole(accounts.context, operatorOf(operator), { userId: candidate.id, role: 'operator' });
    expect(await findLogin(accounts.context, second)).toBeNull();
    await expect(
      changeUserRole(accounts.context, operatorOf(operator), { userId: owner.userId, role: 'operator' }),
    ).rejects.toMatchObject({ param: 'role' });
  });

  test('needs a second factor to be promoted, except in a local sandbox; the grantor is recorded', async () => {
    const { context, config, database, clock } = accounts;
    const [operator, user] = [await accounts.user({ role: 'operator' }), await accounts.user()];
    const withoutFactors = { ...context, config: { ...config, SANDBOX_ORIGIN: 'http://127.0.0.1:5' } };
    const promote = (SANDBOX_ORIGIN?: string, PUBLIC_URL = config.PUBLIC_URL) =>
      changeUserRole({ ...context, config: { ...config, SANDBOX_ORIGIN, PUBLIC_URL } }, operatorOf(operator), {
        userId: user.id,
        role: 'operator',
      });
    await expect(promote()).rejects.toMatchObject({ param: 'role' });
    await expect(promote('http://127.0.0.1:5', 'https://pay.example')).rejects.toMatchObject({ param: 'role' });
    await promote('http://127.0.0.1:5');
    const read = () => database.prisma.user.findUniqueOrThrow({ where: { id: user.id } });
    expect(await read()).toMatchObject({ role: 'operator', roleGrantedBy: operator.id, roleGrantedAt: clock.now() });
    await changeUserRole(context, operatorOf(operator), { userId: user.id, role: 'merchant' });
    expect(await read()).toMatchObject({ role: 'merchant', roleGrantedBy: operator.id });
    const accomplice = await accounts.user({ role: 'operator' });
    await changeUserRole(withoutFactors, operatorOf(accomplice), { userId: user.id, role: 'operator' });
    expect(await read()).toMatchObject({ role: 'operator', roleGrantedBy: operator.id, roleGrantedAt: clock.now() });
  });

  test('is promoted, disabled and demoted with a mail to all operators, whatever was done to them before', async () => {
    const fresh = await openAccounts();
    try {
      const [actor, other] = [await fresh.user({ role: 'operator' }), await fresh.user({ role: 'operator' })];
      const made = await fresh.user({ hasTotp: true });
      const mails = async () => {
        const found = await fresh.database.prisma.mail.findMany({ orderBy: { id: 'asc' } });
        await fresh.database.prisma.mail.deleteMany();
        return found.map((mail) => [mail.recipient, mail.subject, mailBody(fresh.context, mail).includes(actor.email)]);
      };
      const notices = (subject: string, ...users: TestUser[]) =>
        users.map(({ email }) => [email, subject, true]).toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1));
      await disableUser(fresh.context, operatorOf(actor), other.id);
      expect(await mails()).toEqual(notices(`${other.email} is no longer an operator`, actor, other));
      await changeUserRole(fresh.context, operatorOf(actor), { userId: made.id, role: 'operator' });
      expect(await mails()).toEqual(notices(`${made.email} is an operator now`, actor, other, made));
      await enableUser(fresh.context, operatorOf(actor), other.id);
      expect(await mails()).toEqual(notices(`${other.email} is an operator now`, actor, other, made));
      await changeUserRole(fresh.context, operatorOf(actor), { userId: made.id, role: 'merchant' });
      expect(await mails()).toEqual(notices(`${made.email} is no longer an operator`, actor, other, made));
      await disableUser(fresh.context, operatorOf(actor), made.id);
      await enableUser(fresh.context, operatorOf(actor), made.id);
      // A no-op sends no mail.
      await enableUser(fresh.context, operatorOf(actor), other.id);
      expect(await mails()).toEqual([]);
      await disableUser(fresh.context, operatorOf(actor), other.id);
      await mails();
      await disableUser(fresh.context, operatorOf(actor), other.id);
      await changeUserRole(fresh.context, operatorOf(actor), { userId: other.id, role: 'merchant' });
      expect(await mails()).toEqual([]);
    } finally {
      await fresh.close();
    }
  });

  test('pages through all users without missing one', async () => {
    const seen: string[] = [];
    for (let after: string | null = null; ;) {
      const page: Awaited<ReturnType<typeof listUsers>> = await listUsers(accounts.database.pool, {
        search: '',
        after,
        limit: 3,
      });
      seen.push(...page.users.map(({ email }) => email));
      if (page.next === null) break;
      after = page.next;
    }
    const { rows } = await accounts.database.pool.query('SELECT email FROM users ORDER BY email');
    expect(seen).toEqual(rows.map(({ email }) => email));
  });
});
