// The users who open the pages: the owner of the measured store and an operator with a second factor, both signed in.

import { randomBytes, randomUUID } from 'node:crypto';
import { encode } from 'next-auth/jwt';
import { tsImport } from 'tsx/esm/api';
import { STORE } from '../database.mjs';

const COOKIE_SECONDS = 3600;

/** Resolves to the session value of each user. */
export async function addPeople(client, masterKeys) {
  const { beginLogin } = await tsImport('../../../lib/merchants/accounts/sign-in/logins.ts', import.meta.url);
  const { sealTotp } = await tsImport('../../../lib/merchants/accounts/second-factor/totp.ts', import.meta.url);
  const now = new Date();
  const login = async (userId) => {
    const from = { address: '127.0.0.1', userAgent: 'bench' };
    return beginLogin(client, { userId, hasFactor: true, isComplete: true, from, now });
  };
  const { rows } = await client.query('SELECT owner_id FROM stores WHERE id = $1', [STORE]);
  const owner = rows[0].owner_id;
  await client.query('UPDATE users SET email_confirmed_at = $2 WHERE id = $1', [owner, now]);
  await client.query(`INSERT INTO members (store_id, user_id, role, created_at) VALUES ($1, $2, 'owner', $3)`, [
    STORE,
    owner,
    now,
  ]);
  const operator = randomUUID();
  const config = { MASTER_KEYS: keysOf(masterKeys) };
  const totp = sealTotp({ config }, operator, randomBytes(20).toString('hex'));
  await client.query(
    `INSERT INTO users (id, email, password_hash, role, created_at, email_confirmed_at, totp_ciphertext, totp_confirmed_at)
     VALUES ($1, 'operator@example.com', '-', 'operator', $2, $2, $3, $2)`,
    [operator, now, totp],
  );
  return { owner: await login(owner), operator: await login(operator) };
}

/** The cookie of a browser with this session. */
export async function cookieFor(masterKeys, origin, token) {
  const { cookieNames, cookieSecret } = await tsImport(
    '../../../lib/merchants/accounts/sign-in/cookie.ts',
    import.meta.url,
  );
  const config = { MASTER_KEYS: keysOf(masterKeys), PUBLIC_URL: origin };
  const value = await encode({ token: { token }, secret: cookieSecret(config), maxAge: COOKIE_SECONDS });
  return { name: cookieNames(config).sessionToken.name, value, url: origin };
}

const keysOf = (masterKeys) => {
  const [version, key] = masterKeys.split(':');
  return new Map([[Number(version), Buffer.from(key, 'base64')]]);
};
