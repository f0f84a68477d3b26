// When the proxy treats a browser as a payment page's customer: it was shown the page and is not the shop's own.

import { NextRequest } from 'next/server';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { cookieNames } from '@/lib/merchants/accounts/sign-in/cookie-names';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { watchedSession } from '@/testing/watching/watched-session';

const PUBLIC_URL = 'https://pay.example';
let database: TestDatabase;
beforeAll(async () => void (database = await openTestDatabase()));
afterAll(async () => {
  const { pool } = await import('@/lib/platform/database/db');
  await pool().end();
  await database.close();
});
afterEach(() => vi.unstubAllEnvs());

/** The cookies that a session's page sets in a browser with this cookie. */
async function cookiesOf(sessionId: string, cookie: string): Promise<string[]> {
  vi.stubEnv('PUBLIC_URL', PUBLIC_URL);
  vi.stubEnv('DATABASE_URL', database.url);
  const { proxy } = await import('@/proxy');
  const headers = { cookie, 'sec-fetch-dest': 'document' };
  return (await proxy(new NextRequest(`${PUBLIC_URL}/pay/${sessionId}`, { headers }))).headers.getSetCookie();
}
const newSession = () => watchedSession(database.pool, { createdAt: Math.floor(Date.now() / 1000) });
const signedIn = `${cookieNames({ PUBLIC_URL }).sessionToken.name}=anything`;

test('a browser signed in to the dashboard never counts as the customer’s, and does not affect the customer', async () => {
  const { id } = await newSession();
  expect(await cookiesOf(id, signedIn)).toEqual([]);
  expect(await cookiesOf(id, '')).toEqual([expect.stringMatching(/^__Secure-payer=.*HttpOnly/)]);
});

test('a second browser makes the payment belong to no browser, whatever cookies it has', async () => {
  const { id } = await newSession();
  expect(await cookiesOf(id, 'other=1')).toHaveLength(1);
  expect(await cookiesOf(id, 'other=1')).toEqual([]);
});
