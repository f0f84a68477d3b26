// A member acts live only with a second factor on their account. A hand-written list is compared with every mutation in the table
// of routes, in every environment and store status, with and without a factor. A route outside the rule fails here.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { findLogin } from '@/lib/merchants/accounts/sign-in/logins';
import type { ApiResponse } from '@/lib/platform/http';
import { PERMISSIONS, type Permission } from '@/lib/merchants/members/roles';
import { forceStoreStatus } from '@/testing/database/forced-status';
import { browserRequest, cookieOf, openAccounts, type Accounts } from '@/testing/accounts';
import { makeStore } from '@/testing/fixtures';
import { MemberRole, StoreStatus } from '@/prisma/generated/enums';
import { answerDashboard } from './adapter';
import type { DashboardRoute } from './route';
import { ROUTES } from './routes';
import { readViewer } from './viewer';

const REFUSED = 'SECOND_FACTOR_REQUIRED';
/** What each permission of a store's members needs live. `open` needs no second factor. */
const LIVE: Readonly<Record<string, 'factor' | 'open'>> = {
  'store.change': 'factor',
  'members.change': 'factor',
  'keys.change': 'factor',
  'webhook.change': 'factor',
  'cases.decide': 'factor',
  'refunds.make': 'factor',
  'refunds.cancel': 'factor',
  'payouts.manage': 'factor',
  // They neither move money out nor change who can: reading, requesting money from customers, resending events, leaving.
  'store.read': 'open',
  'members.read': 'open',
  'keys.read': 'open',
  'webhook.read': 'open',
  'webhook.resend': 'open',
  'payments.read': 'open',
  'payments.export': 'open',
  'refunds.read': 'open',
  'balances.read': 'open',
  'payouts.read': 'open',
  'links.read': 'open',
  'links.change': 'open',
  'first_steps.hide': 'open',
  'till.use': 'open',
};
/** Mutations of a whole store, which have no environment. All others name theirs in the path. */
const WHOLE_STORE = [
  'PATCH /stores/{store_id}',
  'POST /stores/{store_id}/country-rules',
  'POST /stores/{store_id}/first-steps',
  'POST /stores/{store_id}/branding',
  'POST /stores/{store_id}/logo',
  'POST /stores/{store_id}/logo/remove',
  'POST /stores/{store_id}/members/invite',
  'POST /stores/{store_id}/members/uninvite',
  'PATCH /stores/{store_id}/members/{user_id}',
  'POST /stores/{store_id}/members/{user_id}/remove',
  'POST /stores/{store_id}/mails',
  'POST /stores/{store_id}/leave',
];
const nameOf = ({ method, path }: DashboardRoute) => `${method} ${path.replace('/api/dashboard', '')}`;
const mutations = ROUTES.filter(({ method }) => method !== 'GET');
const ofMembers = mutations.filter(({ isInStore }) => isInStore);

let accounts: Accounts;
const stores = new Map<StoreStatus, string>();
const cookies = new Map<string, string>();

beforeAll(async () => {
  accounts = await openAccounts();
  const { database, config } = accounts;
  for (const status of Object.values(StoreStatus)) {
    const { storeId } = await makeStore(database, config);
    await forceStoreStatus(database.pool, storeId, status);
    stores.set(status, storeId);
  }
  for (const role of Object.values(MemberRole))
    for (const hasTotp of [true, false]) {
      const { id } = await accounts.user({ hasTotp });
      for (const storeId of stores.values()) await accounts.member(storeId, id, role);
      const token = await accounts.login(id, { hasFactor: hasTotp });
      cookies.set(`${role} ${hasTotp}`, await cookieOf(accounts.context, token));
    }
});
afterAll(() => accounts.close());

/** The same routes with handlers that only report that they were reached. */
const reached = ROUTES.map((route) => ({
  ...route,
  body: route.body === null ? null : z.unknown(),
  handle: async () => ({ reached: true }),
}));

async function call(
  route: DashboardRoute,
  { storeId, environment, cookie }: { storeId: string; environment: string; cookie: string | undefined },
  context = accounts.context,
): Promise<string> {
  const path = route.path
    .replace('{store_id}', storeId)
    .replace('{environment}', environment)
    .replaceAll(/\{\w+\}/g, '11111111-1111-4111-8111-111111111111');
  const request = browserRequest(context, { method: route.method, path, cookie: cookie ?? null });
  const { body } = (await answerDashboard(context, request, reached)) as ApiResponse;
  const answer = JSON.parse(body) as { reached?: true; error?: { code: string } };
  return answer.reached ? 'reached' : (answer.error?.code ?? 'no answer');
}

describe.each(ofMembers.map((route) => [nameOf(route), route] as const))('%s', (_, route) => {
  test('is refused live without a second factor as listed, and never with one or in test', async () => {
    const permission = route.access as Permission;
    const wrong: string[] = [];
    for (const [status, storeId] of stores)
      for (const environment of route.path.includes('{environment}') ? ['live', 'test', 'elsewhere'] : ['live'])
        for (const role of Object.values(MemberRole))
          for (const hasFactor of [true, false]) {
            const answer = await call(route, { storeId, environment, cookie: cookies.get(`${role} ${hasFactor}`) });
            const isLive = route.path.includes('{environment}')
              ? environment !== 'test'
              : status === 'approved' || status === 'suspended';
            const mayDo = PERMISSIONS[permission].members.includes(role);
            const refusal = LIVE[permission] === 'factor' && isLive && !hasFactor ? REFUSED : 'reached';
            const right = mayDo ? refusal : 'permission_denied';
            if (answer !== right)
              wrong.push(`${role}, ${status}, ${environment}, ${hasFactor}: ${answer}, not ${right}`);
          }
    expect(wrong).toEqual([]);
  });
});

describe('every mutation is subject to the rule', () => {
  test('the list contains every permission of members', () => {
    const ofAnyMember = Object.entries(PERMISSIONS).filter(([, { members }]) => members.length > 0);
    expect(ofAnyMember.map(([name]) => name).toSorted()).toEqual(Object.keys(LIVE).toSorted());
  });

  test('every mutation of a store names its environment in the path, or concerns the whole store', () => {
    expect(ofMembers.length).toBeGreaterThan(25);
    const without = ofMembers.filter(({ path }) => !path.startsWith('/api/dashboard/stores/{store_id}/{environment}/'));
    expect(without.map(nameOf).toSorted()).toEqual(WHOLE_STORE.toSorted());
    // An environment in a body is read after the rule was applied. The operator's set-up has no store, and needs its factor anyway.
    const inBody = mutations.filter(
      ({ access, body }) =>
        access !== 'setup.change' &&
        body !== null &&
        JSON.stringify(z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' })).includes('"environment"'),
    );
    expect(inBody.map(nameOf)).toEqual([]);
  });

  test('a mutation outside a store belongs to an account, to the public or to operators', () => {
    const others = mutations.filter((route) => !ofMembers.includes(route));
    const wrong = others.filter(({ access, path }) => {
      if (access === 'anyone' || access === 'account' || access === 'pending') return path.includes('{store_id}');
      return !path.startsWith('/api/dashboard/operator/');
    });
    expect(wrong.map(nameOf)).toEqual([]);
  });
});

test('a live key cannot be reached through the path of the test environment', async () => {
  const { context, database, config } = accounts;
  const { storeId, keyId } = await makeStore(database, config, 'live');
  const { id } = await accounts.user();
  await accounts.member(storeId, id, 'owner');
  const cookie = await cookieOf(context, await accounts.login(id));
  const post = async (path: string, body: object) => {
    const request = browserRequest(context, {
      method: 'POST',
      path: `/api/dashboard/stores/${storeId}${path}`,
      cookie,
      body,
    });
    return ((await answerDashboard(context, request, ROUTES)) as ApiResponse).status;
  };
  const before = await database.prisma.apiKey.findMany({ where: { storeId } });
  for (const [action, body] of [
    ['roll', {}],
    ['revoke', {}],
    ['signature', { requires_signature_v2: true }],
  ] as const) {
    expect(await post(`/test/keys/${keyId}/${action}`, body)).toBe(404);
    expect(await post(`/live/keys/${keyId}/${action}`, body)).toBe(403);
  }
  expect(await database.prisma.apiKey.findMany({ where: { storeId } })).toEqual(before);
});

describe('in a local sandbox', () => {
  test('the whole store can be changed without a second factor, but the live environment cannot', async () => {
    const config = { ...accounts.config, SANDBOX_ORIGIN: 'http://127.0.0.1:5' };
    const own = { ...accounts.context, config };
    const at = { storeId: stores.get('approved') ?? '', cookie: cookies.get('owner false') };
    const route = (name: string) => ofMembers.find((one) => nameOf(one) === name) as DashboardRoute;
    const settings = route('PATCH /stores/{store_id}');
    const keys = route('POST /stores/{store_id}/{environment}/keys');
    expect(await call(settings, { ...at, environment: 'live' }, own)).toBe('reached');
    expect(await call(keys, { ...at, environment: 'live' }, own)).toBe(REFUSED);
    const open = { ...accounts.context, config: { ...config, PUBLIC_URL: 'https://pay.example' } };
    const cookie = await cookieOf(open, (await tokenOf('owner')) ?? '');
    expect(await call(settings, { ...at, cookie, environment: 'live' }, open)).toBe(REFUSED);
  });
});

/** A login of a new member of the approved store, without a factor. */
async function tokenOf(role: MemberRole): Promise<string> {
  const { id } = await accounts.user();
  await accounts.member(stores.get('approved') ?? '', id, role);
  return accounts.login(id);
}

describe('pages', () => {
  test.each([
    ['owner', true],
    ['developer', true],
    ['support', true],
    ['viewer', false],
  ] as const)('warn the %s before the request is made: %s', async (role, isTold) => {
    const who = await findLogin(accounts.context, await tokenOf(role));
    const viewer = await readViewer(accounts.context, who);
    expect(viewer?.stores[0]).toMatchObject({ needsFactorLive: isTold, needsFactorForStore: isTold });
  });

  test('do not warn a member with a second factor, or about a store that is not live', async () => {
    const member = async (hasTotp: boolean, status: StoreStatus) => {
      const { id } = await accounts.user({ hasTotp });
      await accounts.member(stores.get(status) ?? '', id, 'owner');
      const who = await findLogin(accounts.context, await accounts.login(id, { hasFactor: hasTotp }));
      return (await readViewer(accounts.context, who))?.stores[0];
    };
    expect(await member(true, 'approved')).toMatchObject({ needsFactorLive: false, needsFactorForStore: false });
    expect(await member(false, 'pending')).toMatchObject({ needsFactorLive: true, needsFactorForStore: false });
    expect(await member(false, 'suspended')).toMatchObject({ needsFactorLive: true, needsFactorForStore: true });
  });
});
