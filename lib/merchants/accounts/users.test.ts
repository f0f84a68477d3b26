import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { TestClock, testContext } from '@/testing/fixtures';
import { verifyPassword } from './password/password';
import { createUser, EmailTaken, normalEmail } from './users';

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase(4);
});
afterAll(() => database.close());
const create = (email: string, password = 'a long enough password') =>
  createUser(testContext(database, new TestClock()), { email, password, role: 'merchant' });

test('an account is stored with a hash of its password and its canonical e-mail address', async () => {
  const { id, email } = await create(' Ann.Smith+shop@Example.COM ');
  const row = await database.prisma.user.findUniqueOrThrow({ where: { id } });
  expect([email, row.email, row.role]).toEqual([
    'ann.smith+shop@example.com',
    'ann.smith+shop@example.com',
    'merchant',
  ]);
  expect(await verifyPassword(row.passwordHash, 'a long enough password')).toBe(true);
});

test('D-12: one address has one account, in every spelling and under concurrent requests', async () => {
  const outcomes = await Promise.allSettled(
    ['bob@example.com', 'BOB@example.com', ' bob@EXAMPLE.com'].map((email) => create(email)),
  );
  expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected']);
  await expect(create('Bob@Example.com')).rejects.toThrow(EmailTaken);
});

describe('an ambiguous or invalid address is refused:', () => {
  test.each([
    '',
    'a',
    'a@b',
    '@example.com',
    'a@@example.com',
    'a@example.com@evil.com',
    '"a@evil"@example.com',
    'a b@example.com',
    'a@exa mple.com',
    'ａ@example.com',
    'a＠example.com',
    'а@example.com',
    'a@exаmple.com',
    'ﬁ@example.com',
    'é@example.com',
    'a@example.com\r\nBcc: x@y.zz',
    'a\u0000@example.com',
    'a.@example.com',
    '.a@example.com',
    'a..b@example.com',
    'a@-example.com',
    'a@example-.com',
    'a@example.c',
    'a@127.0.0.1',
    'a@[127.0.0.1]',
    `${'a'.repeat(65)}@example.com`,
    `a@${'x'.repeat(64)}.com`,
    `${'a'.repeat(60)}@${'bcd.'.repeat(80)}com`,
    '\u212a@example.com',
  ])('%j', async (email) => {
    expect(normalEmail(email)).toBeNull();
    await expect(create(email)).rejects.toMatchObject({ code: 'INVALID_PARAMETER', param: 'email' });
  });
});

test.each(['a@example.com', "o'neil+x@mail.example.co.uk", 'a@xn--gre-6ka8i.example'])('%s is accepted', (email) => {
  expect(normalEmail(email)).toBe(email);
});

test.each(['too short', 'x'.repeat(257)])('a password of invalid length is refused by name', async (password) => {
  await expect(create('carol@example.com', password)).rejects.toMatchObject({
    code: 'INVALID_PARAMETER',
    param: 'password',
  });
});
