// The fees of payouts through the operator's requests.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerDashboard } from '@/lib/dashboard/adapter';
import { ROUTES } from '@/lib/dashboard/routes';
import { readRate } from '@/lib/payouts/rates/read';
import type { ApiResponse } from '@/lib/platform/http';
import { browserRequest, cookieOf } from '@/testing/accounts';
import { openAddressScene, type AddressScene } from '@/testing/payouts/address-scene';
import type { UserRole } from '@/prisma/generated/enums';

let scene: AddressScene;
let storeId: string;
beforeAll(async () => {
  scene = await openAddressScene();
  ({ storeId } = await scene.store());
});
afterAll(() => scene.close());

async function browser(role: UserRole, { isStale = false } = {}) {
  const user = await scene.accounts.user({ role, hasTotp: true });
  const token = await scene.accounts.login(user.id, { hasFactor: true });
  if (isStale) await scene.database.pool.query('UPDATE logins SET step_up_at = NULL WHERE user_id = $1', [user.id]);
  const cookie = await cookieOf(scene.context, token);
  return async (body: object) => {
    const path = '/api/dashboard/operator/payout-rates';
    const request = browserRequest(scene.context, { method: 'POST', path, cookie, body });
    const answer = (await answerDashboard(scene.context, request, ROUTES)) as ApiResponse;
    return JSON.parse(answer.body) as Record<string, unknown> & { error?: { code: string; param: string } };
  };
}

const terms = { basis_points: 150, fixed: '5', minimum: '50', network_costs: { bsc: '30' } };
const rate = (over: object = {}) => ({ store_id: storeId, terms, starts_at: null, ...over });
const rateNow = () => readRate(scene.database.pool, { storeId, environment: 'live', at: scene.clock.now() });
const decisions = () => scene.database.prisma.payoutRate.count();

test('an operator sets the fees of a store and ends them, and the audit log has both', async () => {
  const operator = await browser('operator');
  expect(await operator(rate())).toEqual({ starts_at: expect.any(Number) });
  expect(await rateNow()).toMatchObject({ basisPoints: 150n, fixed: 5n, minimum: 50n, networkCosts: { bsc: 30n } });
  await operator(rate({ terms: null }));
  expect(await rateNow()).toBeNull();
  const { rows } = await scene.database.pool.query(
    `SELECT action FROM audit_entries WHERE action LIKE 'payout_rate.%' AND store_id = $1 ORDER BY number`,
    [storeId],
  );
  expect(rows).toEqual([{ action: 'payout_rate.set' }, { action: 'payout_rate.end' }]);
});

test('a bound of the price at cost is stored by its network', async () => {
  const operator = await browser('operator');
  await operator(rate({ terms: { ...terms, at_cost: { ethereum: '200' } } }));
  expect(await rateNow()).toMatchObject({
    networkCosts: { bsc: 30n },
    atCost: { ethereum: 200n },
    prices: { bsc: 30n },
  });
  await operator(rate({ terms: null }));
});

test('fees that start later are stored with their time', async () => {
  const starts = new Date(scene.clock.now().getTime() + 86_400_000);
  const operator = await browser('operator');
  const startsAt = Math.floor(starts.getTime() / 1000);
  expect(await operator(rate({ starts_at: starts.toISOString() }))).toEqual({ starts_at: startsAt });
  expect(await rateNow()).toBeNull();
});

test('an operator without a fresh second factor, and a merchant, set none', async () => {
  const before = await decisions();
  const stale = await browser('operator', { isStale: true });
  expect(await stale(rate())).toMatchObject({ error: { code: 'step_up_required' } });
  const merchant = await browser('merchant');
  expect(await merchant(rate())).toHaveProperty('error');
  expect(await decisions()).toBe(before);
});

test.each([
  ['more than ten percent', { terms: { ...terms, basis_points: 1001 } }],
  ['a negative fixed part', { terms: { ...terms, fixed: '-1' } }],
  ['a least fee above a hundred', { terms: { ...terms, minimum: '10001' } }],
  ['a network cost that is no number', { terms: { ...terms, network_costs: { bsc: 'abc' } } }],
  ['a network at a fixed price and at cost', { terms: { ...terms, at_cost: { bsc: '200' } } }],
  ['a price at cost without a bound', { terms: { ...terms, at_cost: { ethereum: '0' } } }],
  ['no terms for all stores', { store_id: null, terms: null }],
  ['an unknown store', { store_id: 'st_0000000000000000000000' }],
  ['no time', { starts_at: 'tomorrow' }],
])('%s is refused, and nothing is stored', async (_, over) => {
  const before = await decisions();
  const operator = await browser('operator');
  expect(await operator(rate(over))).toHaveProperty('error');
  expect(await decisions()).toBe(before);
});
