// Accounts for tests on a test's own database: users of every kind, signed in or after the first step only. Also
// requests as their browsers send them.

import { randomUUID } from 'node:crypto';
import { encode } from 'next-auth/jwt';
import { cookieSecret } from '@/lib/merchants/accounts/sign-in/cookie';
import { cookieNames } from '@/lib/merchants/accounts/sign-in/cookie-names';
import { requestSource } from '@/lib/merchants/accounts/request-source';
import { beginLogin } from '@/lib/merchants/accounts/sign-in/logins';
import { newTotpSecret, sealTotp } from '@/lib/merchants/accounts/second-factor/totp';
import { hashPassword } from '@/lib/merchants/accounts/password/password';
import type { Context } from '@/lib/platform/context';
import type { ApiRequest } from '@/lib/platform/http';
import { mailBody } from '@/lib/merchants/mail/queue';
import type { MemberRole, UserRole } from '@/prisma/generated/enums';
import { openTestDatabase } from './database/database';
import { TestClock, testConfig, testContext } from './fixtures';

export const PASSWORD = 'a long enough password';
export const FROM = requestSource('203.0.113.9', 'Test browser');
/** One hash for all, because hashing is slow by design. */
const hashed = hashPassword(PASSWORD);

export type TestUser = { readonly id: string; readonly email: string; readonly totp: string | null };

/** Opens a database with a clock and settings. `close` it in `afterAll`. */
export async function openAccounts(settings: Record<string, string> = {}, connections = 10) {
  const database = await openTestDatabase(connections);
  const clock = new TestClock();
  const config = testConfig(settings);
  const context = testContext(database, clock, config);

  async function user(of: { role?: UserRole; hasTotp?: boolean; email?: string } = {}): Promise<TestUser> {
    const id = randomUUID();
    const email = of.email ?? `${id}@example.test`;
    const totp = of.hasTotp ? newTotpSecret() : null;
    await database.pool.query(
      `INSERT INTO users (id, email, password_hash, role, created_at, email_confirmed_at, totp_ciphertext, totp_confirmed_at)
       VALUES ($1, $2, $3, $4::"UserRole", $5, $5, $6, $7)`,
      [
        id,
        email,
        await hashed,
        of.role ?? 'merchant',
        clock.now(),
        totp && sealTotp(context, id, totp),
        totp && clock.now(),
      ],
    );
    return { id, email, totp };
  }

  /** A login as the sign-in creates it. */
  const login = (userId: string, { hasFactor = false, isComplete = true } = {}): Promise<string> =>
    beginLogin(database.pool, { userId, hasFactor, isComplete, from: FROM, now: clock.now() });

  const member = async (storeId: string, userId: string, role: MemberRole): Promise<void> =>
    void (await database.pool.query(
      'INSERT INTO members (store_id, user_id, role, created_at) VALUES ($1, $2, $3::"MemberRole", $4)',
      [storeId, userId, role, clock.now()],
    ));

  /** The latest mail to an address: its subject and the token of its link. */
  async function lastMail(to: string): Promise<{ subject: string; text: string; token: string } | null> {
    const { rows } = await database.pool.query('SELECT * FROM mails WHERE recipient = $1 ORDER BY id DESC LIMIT 1', [
      to,
    ]);
    if (!rows[0]) return null;
    const text = mailBody(context, rows[0]);
    return { subject: rows[0].subject, text, token: /token=([0-9A-Za-z]{43})/.exec(text)?.[1] ?? '' };
  }

  return { database, clock, config, context, user, login, member, lastMail, close: () => database.close() };
}

export type Accounts = Awaited<ReturnType<typeof openAccounts>>;

/** The Cookie header of a browser with this login. */
export async function cookieOf({ config }: Pick<Context, 'config'>, token: string): Promise<string> {
  const sealed = await encode({ token: { token }, secret: cookieSecret(config), maxAge: 3600 });
  return `${cookieNames(config).sessionToken.name}=${sealed}`;
}

/** A request as the service's pages send it. A null header is omitted. */
export function browserRequest(
  { config }: Pick<Context, 'config'>,
  of: { method: string; path: string; cookie?: string | null; body?: unknown; headers?: Record<string, string | null> },
): ApiRequest {
  const [path = '', query = ''] = of.path.split('?');
  const headers: Record<string, string | null> = {
    origin: config.PUBLIC_URL,
    'sec-fetch-site': 'same-origin',
    'content-type': of.method === 'GET' ? null : 'application/json',
    'user-agent': 'Test browser',
    cookie: of.cookie ?? null,
    ...of.headers,
  };
  return {
    method: of.method,
    path,
    query,
    header: (name) => [headers[name] ?? []].flat(),
    body: Buffer.from(of.method === 'GET' ? '' : JSON.stringify(of.body ?? {})),
    address: FROM.address,
  };
}
