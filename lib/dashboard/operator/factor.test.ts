// An operator with only a password: no access to the console, but full access to a local sandbox.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { findLogin } from '@/lib/merchants/accounts/sign-in/logins';
import { openAccounts, type Accounts } from '@/testing/accounts';
import type { UserRole } from '@/prisma/generated/enums';
import { authorize, type Access } from '@/lib/dashboard/authorize';

let accounts: Accounts;
beforeAll(async () => {
  accounts = await openAccounts();
});
afterAll(() => accounts.close());

const SANDBOX = 'http://127.0.0.1:5';

/** Requests as a freshly signed-in user. */
async function request(of: { hasTotp: boolean; role?: UserRole }, permission: Access, over: object = {}) {
  const { id } = await accounts.user({ role: 'operator', ...of });
  const who = await findLogin(accounts.context, await accounts.login(id, { hasFactor: of.hasTotp }));
  const context = { ...accounts.context, config: { ...accounts.config, ...over } };
  return authorize(context, who, { permission });
}

test('opens their account page and nothing else', async () => {
  await expect(request({ hasTotp: false }, 'account')).resolves.toMatchObject({ isOperator: true });
  for (const permission of ['refunds.approve', 'health.read', 'payments.read'] as const) {
    await expect(request({ hasTotp: false }, permission)).rejects.toMatchObject({ code: 'operator_factor_needed' });
    await expect(request({ hasTotp: true }, permission)).resolves.toMatchObject({ isOperator: true });
  }
});

test('is enough in a local sandbox, but not in one at a public address', async () => {
  const bare = { hasTotp: false };
  await expect(request(bare, 'health.read', { SANDBOX_ORIGIN: SANDBOX })).resolves.toMatchObject({ isOperator: true });
  await expect(
    request(bare, 'health.read', { SANDBOX_ORIGIN: SANDBOX, PUBLIC_URL: 'https://pay.example' }),
  ).rejects.toMatchObject({ code: 'operator_factor_needed' });
});
