// The owner of an account is mailed about a sign-in from a new place, and the owners of a store about every new live key.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { createApiKey, rollApiKey } from '@/lib/merchants/api-keys/keys';
import { openAccounts, PASSWORD, type Accounts } from '@/testing/accounts';
import { makeStore } from '@/testing/fixtures';
import { requestSource } from '@/lib/merchants/accounts/request-source';
import type { KnownDevice } from './known-device';
import { signInByPassword } from './sign-in';

let accounts: Accounts;
beforeAll(async () => void (accounts = await openAccounts()));
afterAll(() => accounts.close());

const HOME = requestSource('203.0.113.9', 'Firefox at home');
const subjects = async (recipient: string): Promise<string[]> =>
  (await accounts.database.prisma.mail.findMany({ where: { recipient }, orderBy: { id: 'asc' } })).map(
    ({ subject }) => subject,
  );

test('mails about a sign-in from an unknown address with an unknown device, and about no other', async () => {
  const { id, email } = await accounts.user();
  const signIn = (from = HOME, device: KnownDevice | null = null) => {
    accounts.clock.advance(60);
    return signInByPassword(accounts.context, { email, password: PASSWORD, from, device });
  };
  await signIn();
  await signIn();
  await signIn(requestSource('198.51.100.7', 'Firefox at home'), { userId: id, id: 'cookie' });
  await signIn(requestSource('203.0.113.9', 'Chrome at home'));
  expect(await subjects(email)).toEqual([]);
  await signIn(requestSource('192.0.2.66', 'curl'));
  expect(await subjects(email)).toEqual(['New sign-in to your account']);
  expect((await accounts.lastMail(email))?.text).toContain('192.0.2.66');
  await signIn(requestSource('192.0.2.66', 'curl'));
  expect(await subjects(email)).toHaveLength(1);
});

test.each([
  ['a browser that says it is the one of the owner', null],
  ['the cookie of another account', { userId: 'another', id: 'cookie' }],
])('mails although the sign-in is by %s', async (_, device) => {
  const { email } = await accounts.user();
  const signIn = (from = HOME, given: KnownDevice | null = null) =>
    signInByPassword(accounts.context, { email, password: PASSWORD, from, device: given });
  await signIn();
  accounts.clock.advance(60);
  await signIn(requestSource('192.0.2.68', 'Firefox at home'), device);
  expect(await subjects(email)).toEqual(['New sign-in to your account']);
});

test('names the browser without any link that its sender wrote into the name', async () => {
  const { email } = await accounts.user();
  const signIn = (address: string, browser: string) => {
    accounts.clock.advance(60);
    return signInByPassword(accounts.context, { email, password: PASSWORD, from: requestSource(address, browser) });
  };
  await signIn('203.0.113.9', 'Firefox at home');
  await signIn('192.0.2.67', 'Mozilla/5.0 (X11; Linux x86_64) confirm at https://evil.example/x or www.evil.example');
  const text = (await accounts.lastMail(email))?.text ?? '';
  expect(text).toContain('Mozilla/5.0 (X11; Linux x86_64)');
  expect(text).not.toMatch(/evil\.example|www\./);
});

test('mails every owner of a store about a new live key, and sends no mail about a test key', async () => {
  const { context, database, config } = accounts;
  const { storeId } = await makeStore(database, config);
  const [owner, developer] = [await accounts.user(), await accounts.user()];
  await accounts.member(storeId, owner.id, 'owner');
  await accounts.member(storeId, developer.id, 'developer');
  const actor = { by: `user:${developer.id}`, address: '' };
  await createApiKey(context, { storeId, environment: 'test', name: 'Till' }, actor);
  expect(await subjects(owner.email)).toEqual([]);
  const { id } = await createApiKey(context, { storeId, environment: 'live', name: 'Till' }, actor);
  await rollApiKey(context, { storeId, environment: 'live', keyId: id }, actor);
  expect(await subjects(owner.email)).toHaveLength(2);
  const mail = await accounts.lastMail(owner.email);
  expect(mail?.text).toContain(developer.email);
  expect(mail?.text).toContain('Till');
  expect(await subjects(developer.email)).toEqual([]);
});
