// Every request of the dashboard, for every role, in every state of the login, in the user's own store and in a
// foreign one. Derived from the table of routes, so that it covers routes added later (rows D-01, D-02, D-07, D-10).

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { ApiResponse } from '@/lib/platform/http';
import { isAboutStore, MEMBER_ROLES, needsStepUp, PERMISSIONS, type Permission } from '@/lib/merchants/members/roles';
import { browserRequest, cookieOf, openAccounts, type Accounts } from '@/testing/accounts';
import { makeStore } from '@/testing/fixtures';
import type { MemberRole } from '@/prisma/generated/enums';
import { answerDashboard } from './adapter';
import type { DashboardRoute } from './route';
import { ROUTES } from './routes';

/** `bare`: an operator without a second factor. */
type Role = MemberRole | 'operator' | 'bare' | 'stranger';
const ROLES: readonly Role[] = [...MEMBER_ROLES, 'operator', 'bare', 'stranger'];
const FACTORS = ['nobody', 'ended', 'pending', 'stale', 'fresh'] as const;
type Factor = (typeof FACTORS)[number];

let accounts: Accounts;
const cookies = new Map<string, string | null>();
let own = '';
let foreign = '';

beforeAll(async () => {
  accounts = await openAccounts();
  const { database, config, context, clock } = accounts;
  own = (await makeStore(database, config)).storeId;
  foreign = (await makeStore(database, config)).storeId;
  for (const role of ROLES)
    for (const factor of FACTORS) {
      const [isOperator, hasFactor] = [role === 'operator' || role === 'bare', role !== 'bare'];
      const user = await accounts.user({ role: isOperator ? 'operator' : 'merchant', hasTotp: hasFactor });
      if (role !== 'operator' && role !== 'bare' && role !== 'stranger') await accounts.member(own, user.id, role);
      const token = await accounts.login(user.id, { hasFactor, isComplete: factor !== 'pending' });
      if (factor === 'ended')
        await database.pool.query('UPDATE logins SET ended_at = $2 WHERE user_id = $1', [user.id, clock.now()]);
      if (factor === 'stale')
        await database.pool.query('UPDATE logins SET step_up_at = NULL WHERE user_id = $1', [user.id]);
      cookies.set(`${role} ${factor}`, factor === 'nobody' ? null : await cookieOf(context, token));
    }
});
afterAll(() => accounts.close());

/** The same routes with handlers that only report that they were reached. */
const reached: DashboardRoute[] = ROUTES.map((route) => ({
  ...route,
  body: route.body === null ? null : z.unknown(),
  handle: async () => ({ reached: true }),
}));

const pathIn = (route: DashboardRoute, storeId: string): string =>
  route.path.replace('{store_id}', storeId).replaceAll(/\{\w+\}/g, '11111111-1111-4111-8111-111111111111');

async function call(
  route: DashboardRoute,
  over: { storeId?: string; cookie?: string | null; method?: string; headers?: Record<string, string | null> },
) {
  const request = browserRequest(accounts.context, {
    method: over.method ?? route.method,
    path: pathIn(route, over.storeId ?? own),
    cookie: over.cookie ?? null,
    ...(over.headers && { headers: over.headers }),
  });
  const answer = (await answerDashboard(accounts.context, request, reached)) as ApiResponse;
  const body = JSON.parse(answer.body) as { reached?: true; error?: { code: string } };
  return body.reached ? 'reached' : (body.error?.code ?? 'no answer');
}

/** The expected answer by the table of permissions, computed independently of the adapter. */
function expected(route: DashboardRoute, role: Role, factor: Factor, storeId: string): string {
  const { access } = route;
  if (access === 'anyone') return 'reached';
  if (factor === 'nobody' || factor === 'ended') return 'not_signed_in';
  // Without a factor no login is pending, and a login that was never complete is not fresh.
  if (role === 'bare') {
    if (access !== 'pending' && access !== 'account') return 'operator_factor_needed';
    return route.stepUp && factor !== 'fresh' ? 'step_up_required' : 'reached';
  }
  if (factor === 'pending') return access === 'pending' ? 'reached' : 'second_factor_needed';
  if (access !== 'pending' && access !== 'account') {
    const rule = PERMISSIONS[access];
    const isMember = storeId === own && role !== 'stranger' && role !== 'operator';
    if (route.isInStore && !isMember && role !== 'operator') return 'STORE_NOT_FOUND';
    const mayHere = role === 'operator' ? rule.operator : route.isInStore && rule.members.includes(role as never);
    if (!mayHere) return 'permission_denied';
  }
  return route.stepUp && factor === 'stale' ? 'step_up_required' : 'reached';
}

describe.each(ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const))('%s', (_, route) => {
  const fake = () => reached[ROUTES.indexOf(route)] as DashboardRoute;

  test('D-07, D-10, D-17: is open to exactly the roles in the table of permissions', async () => {
    const wrong: string[] = [];
    for (const role of ROLES)
      for (const factor of FACTORS)
        for (const storeId of route.path.includes('{store_id}') ? [own, foreign] : [own]) {
          const answer = await call(fake(), { storeId, cookie: cookies.get(`${role} ${factor}`) ?? null });
          const right = expected(route, role, factor, storeId);
          if (answer !== right)
            wrong.push(`${role}, ${factor}, ${storeId === own ? 'own' : 'foreign'}: ${answer}, not ${right}`);
        }
    expect(wrong).toEqual([]);
  });

  test('D-01, D-02: refuses requests that no page of this service sent, and has no other method', async () => {
    const cookie = cookies.get('owner fresh') ?? null;
    if (route.method !== 'GET') {
      const { PUBLIC_URL } = accounts.config;
      const foreignOnes: Record<string, string | null>[] = [
        { origin: null, 'sec-fetch-site': null },
        { origin: 'https://evil.example', 'sec-fetch-site': null },
        { origin: 'https://evil.example' },
        { origin: 'null', 'sec-fetch-site': null },
        { origin: PUBLIC_URL, 'sec-fetch-site': 'cross-site' },
        { origin: null, 'sec-fetch-site': 'same-site' },
        { origin: `${PUBLIC_URL}.evil.example`, 'sec-fetch-site': null },
      ];
      for (const headers of foreignOnes) expect(await call(fake(), { cookie, headers })).toBe('origin_refused');
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', null])
        expect(await call(fake(), { cookie, headers: { 'content-type': type } })).toBe('unsupported_media_type');
      const others = ROUTES.filter((one) => one.path === route.path).map((one) => one.method as string);
      if (!others.includes('GET')) expect(await call(fake(), { cookie, method: 'GET' })).toBe('METHOD_NOT_ALLOWED');
    }
    expect(await call(fake(), { cookie, method: 'PUT' })).toBe('METHOD_NOT_ALLOWED');
  });

  test('derives from its permission whether it concerns a store and needs a step-up', () => {
    if (!(route.access in PERMISSIONS)) return expect(['anyone', 'account', 'pending']).toContain(route.access);
    const permission = route.access as Permission;
    // An approval's passkey is its step-up, and without one the handler asks for it (signed-approval.test.ts).
    const isSigned = /\/approval(\/options)?$/.test(route.path);
    if (needsStepUp(permission)) expect(route.stepUp).toBe(!isSigned);
    // A permission of members must be checked in their store, or only operators could ever pass.
    if (isAboutStore(permission) && !route.path.includes('/operator/')) expect(route.isInStore).toBe(true);
    expect(route.method === 'GET' || route.body !== null).toBe(true);
  });
});

test('no two routes have the same method and path', () => {
  const names = ROUTES.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`);
  expect(names.filter((name, n) => names.indexOf(name) !== n)).toEqual([]);
});

test('D-10: an API key gives no access here', async () => {
  const store = await makeStore(accounts.database, accounts.config);
  for (const route of reached.filter(({ access }) => access !== 'anyone'))
    expect(await call(route, { headers: { authorization: `Bearer ${store.apiKey}` } })).toBe('not_signed_in');
});
