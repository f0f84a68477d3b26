// Payouts and payout addresses through the dashboard's requests: only owners with a fresh second factor pay out and change where money goes.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { answerDashboard } from '@/lib/dashboard/adapter';
import { ROUTES } from '@/lib/dashboard/routes';
import type { ApiResponse } from '@/lib/platform/http';
import { browserRequest, cookieOf } from '@/testing/accounts';
import { postAt } from '@/testing/ledger/statement-scene';
import { openAddressScene, WALLETS, type AddressScene } from '@/testing/payouts/address-scene';
import { newSigningWallet } from '@/testing/refunds/signing-wallets';
import type { MemberRole } from '@/prisma/generated/enums';

let scene: AddressScene;
let store: Awaited<ReturnType<AddressScene['store']>>;
beforeAll(async () => {
  scene = await openAddressScene();
});
afterAll(() => scene.close());
beforeEach(async () => {
  await scene.force('DELETE FROM payout_addresses');
  scene.kinds.clear();
  store = await scene.store();
});

/** A member's browser. Without `hasTotp` the account has a password only; `isStale`: signed in long ago. */
async function browser(
  role: MemberRole | null,
  { hasTotp = true, isStale = false, config = scene.context.config } = {},
) {
  const context = { ...scene.context, config };
  const user = await scene.accounts.user({ hasTotp });
  if (role) await scene.accounts.member(store.storeId, user.id, role);
  const token = await scene.accounts.login(user.id, { hasFactor: hasTotp });
  if (isStale) await scene.database.pool.query('UPDATE logins SET step_up_at = NULL WHERE user_id = $1', [user.id]);
  const cookie = await cookieOf(scene.context, token);
  return async (method: 'GET' | 'POST', path: string, body?: object) => {
    const full = `/api/dashboard/stores/${store.storeId}/${path}`;
    const request = browserRequest(context, { method, path: full, cookie, body });
    const answer = (await answerDashboard(context, request, ROUTES)) as ApiResponse;
    return JSON.parse(answer.body) as Record<string, unknown> & { error?: { code: string; param: string } };
  };
}
const add = { network: 'ethereum', address: WALLETS.first };
const count = async () => (await scene.database.prisma.payoutAddress.findMany()).length;

describe('adding and stopping', () => {
  test('an owner with a fresh second factor adds an address and stops it', async () => {
    const owner = await browser('owner');
    const { id } = await owner('POST', 'test/payout-addresses', add);
    expect(id).toMatch(/^pa_[0-9A-Za-z]{22}$/);
    expect(await owner('POST', `test/payout-addresses/${String(id)}/stop`)).toEqual({ done: true });
    expect(await owner('POST', `test/payout-addresses/${String(id)}/stop`)).toEqual({ done: true });
    expect(await scene.database.prisma.payoutAddress.findMany()).toMatchObject([{ id, stoppedAt: scene.clock.now() }]);
  });

  test.each(['developer', 'support', 'viewer'] as const)('a %s may do neither', async (role) => {
    const member = await browser(role);
    const id = await scene.add(store);
    for (const path of ['test/payout-addresses', `test/payout-addresses/${id}/stop`])
      expect(await member('POST', path, add)).toMatchObject({ error: { code: 'permission_denied' } });
    expect(await scene.database.prisma.payoutAddress.findMany()).toMatchObject([{ id, stoppedAt: null }]);
  });

  test.each([
    ['whose second factor is not fresh', { isStale: true }, 'test', 'step_up_required'],
    ['without a second factor, live', { hasTotp: false }, 'live', 'SECOND_FACTOR_REQUIRED'],
  ])('an owner %s may not', async (_, state, environment, code) => {
    const owner = await browser('owner', state);
    expect(await owner('POST', `${environment}/payout-addresses`, add)).toMatchObject({ error: { code } });
    expect(await count()).toBe(0);
  });

  test('an owner of another store finds neither the store nor its address', async () => {
    const stranger = await browser(null);
    const id = await scene.add(store);
    for (const path of ['test/payout-addresses', `test/payout-addresses/${id}/stop`])
      expect(await stranger('POST', path, add)).toMatchObject({ error: { code: 'STORE_NOT_FOUND' } });
    const owner = await browser('owner');
    expect(await owner('POST', `live/payout-addresses/${id}/stop`)).toMatchObject({ error: { code: 'NOT_FOUND' } });
  });

  test('a contract is asked about first', async () => {
    const owner = await browser('owner');
    scene.kinds.set(WALLETS.first, 'contract');
    expect(await owner('POST', 'test/payout-addresses', add)).toEqual({ refused: { code: 'contract' } });
    expect(await owner('POST', 'test/payout-addresses', { ...add, is_contract_confirmed: true })).toHaveProperty('id');
  });

  test('an unknown network is refused with the name of its field', async () => {
    const owner = await browser('owner');
    expect(await owner('POST', 'test/payout-addresses', { ...add, network: 'nowhere' })).toMatchObject({
      error: { code: 'INVALID_PARAMETER', param: 'network' },
    });
  });
});

describe('the proof of ownership', () => {
  test.each([
    ['ethereum', 'evm'],
    ['tron', 'tron'],
    ['solana', 'solana'],
  ] as const)('on %s is the signature of the shown text by the wallet of the address', async (network, family) => {
    const owner = await browser('owner');
    const wallet = newSigningWallet(family);
    const shown = await owner('GET', `test/payout-addresses/proof?network=${network}&address=${wallet.address}`);
    expect(shown).toMatchObject({ text: expect.stringContaining(store.storeId) });
    const proof = { signature: await wallet.sign(String(shown.text)), requested_at: shown.requested_at };
    const body = { network, address: wallet.address };
    const other = { ...proof, signature: await newSigningWallet(family).sign(String(shown.text)) };
    for (const bad of [other, { ...proof, signature: 'none' }])
      expect(await owner('POST', 'test/payout-addresses', { ...body, proof: bad })).toEqual({
        refused: { code: 'not_signed' },
      });
    expect(await owner('POST', 'test/payout-addresses', { ...body, proof })).toHaveProperty('id');
    expect(await scene.database.prisma.payoutAddress.findMany()).toMatchObject([{ isSigned: true, network }]);
  });

  test('has no text for what is no address', async () => {
    const owner = await browser('owner');
    expect(await owner('GET', 'test/payout-addresses/proof?network=ethereum&address=hello')).toEqual({
      refused: { code: 'malformed' },
    });
  });
});

describe('a payout', () => {
  const request = { payout_id: 'rent', network: 'ethereum', currency: 'USDT', amount: 2500 };
  const payouts = () => scene.database.prisma.payout.findMany({ where: { storeId: store.storeId } });
  const audited = async () =>
    (
      await scene.database.pool.query<{ action: string; target: string }>(
        "SELECT action, target FROM audit_entries WHERE store_id = $1 AND action LIKE 'payout.%' ORDER BY number",
        [store.storeId],
      )
    ).rows;
  const receive = (cents: bigint) =>
    postAt(
      scene.database.pool,
      { storeId: store.storeId, environment: 'test' },
      {
        at: scene.clock.now(),
        moves: [{ network: 'ethereum', currency: 'USDT', part: 'available', amount: cents * 10_000n }],
      },
    );

  test('is requested once, however often the page sends it, and canceled once, and both are in the audit log', async () => {
    await scene.add(store);
    await receive(2500n);
    const owner = await browser('owner');
    const [one, again] = await Promise.all([
      owner('POST', 'test/payouts', request),
      owner('POST', 'test/payouts', request),
    ]);
    expect(one).toEqual({ id: expect.stringMatching(/^po_/) });
    expect(again).toEqual(one);
    const cancel = `test/payouts/${String(one.id)}/cancel`;
    expect(await owner('POST', cancel, {})).toEqual({ is_canceled: true });
    expect(await owner('POST', cancel, {})).toEqual({ is_canceled: false });
    expect(await payouts()).toMatchObject([{ id: one.id, amount: 2500n, status: 'canceled' }]);
    expect(await audited()).toEqual([
      { action: 'payout.request', target: 'rent' },
      { action: 'payout.cancel', target: 'rent' },
    ]);
  });

  test('over more than the balance is refused with what is missing, and nothing is stored', async () => {
    await scene.add(store);
    await receive(2000n);
    const owner = await browser('owner');
    expect(await owner('POST', 'test/payouts', request)).toEqual({ refused: { code: 'balance', missing: '5.00' } });
    expect([await payouts(), await audited()]).toEqual([[], []]);
  });

  test.each([
    ['amount', { ...request, amount: 0 }],
    ['amount', { ...request, amount: 10.5 }],
    ['amount', { ...request, amount: '2500' }],
    ['currency', { ...request, currency: 'EUR' }],
    ['payout_id', { ...request, payout_id: '' }],
  ])('with a bad %s is refused with the name of the field', async (param, body) => {
    const owner = await browser('owner');
    expect(await owner('POST', 'test/payouts', body)).toMatchObject({ error: { code: 'INVALID_PARAMETER', param } });
  });

  test.each([
    ['a developer', 'developer', {}, 'permission_denied'],
    ['a supporter', 'support', {}, 'permission_denied'],
    ['an owner whose second factor is not fresh', 'owner', { isStale: true }, 'step_up_required'],
    ['somebody of another store', null, {}, 'STORE_NOT_FOUND'],
  ] as const)('is neither requested nor canceled by %s', async (_, role, state, code) => {
    await scene.add(store);
    await receive(5000n);
    const owner = await browser('owner');
    const { id } = await owner('POST', 'test/payouts', request);
    const other = await browser(role, state);
    expect(await other('POST', 'test/payouts', { ...request, payout_id: 'mine' })).toMatchObject({ error: { code } });
    expect(await other('POST', `test/payouts/${String(id)}/cancel`, {})).toMatchObject({ error: { code } });
    expect(await payouts()).toMatchObject([{ id, status: 'pending' }]);
  });

  test('is not canceled through another store or environment', async () => {
    await scene.add(store);
    await receive(2500n);
    const owner = await browser('owner');
    const { id } = await owner('POST', 'test/payouts', request);
    expect(await owner('POST', `live/payouts/${String(id)}/cancel`, {})).toEqual({ is_canceled: false });
    store = await scene.store();
    const stranger = await browser('owner');
    expect(await stranger('POST', `test/payouts/${String(id)}/cancel`, {})).toEqual({ is_canceled: false });
    expect(await scene.database.prisma.payout.findMany({ where: { id: String(id) } })).toMatchObject([
      { status: 'pending' },
    ]);
  });
});

describe('the refund reserve', () => {
  const asset = { network: 'ethereum', currency: 'USDT' };
  const kept = async () =>
    (await scene.database.prisma.payoutSchedule.findMany({ where: { storeId: store.storeId } })).map(
      ({ keep }) => keep,
    );

  test('is set by an owner, is in the audit log, and the refusal of a payout names it', async () => {
    await scene.add(store);
    const owner = await browser('owner');
    expect(await owner('POST', 'test/refund-reserve', { ...asset, amount: 250 })).toEqual({ set: true });
    expect(await kept()).toEqual([250n]);
    const { rows } = await scene.database.pool.query(
      "SELECT target, details FROM audit_entries WHERE store_id = $1 AND action = 'refund_reserve.set'",
      [store.storeId],
    );
    expect(rows).toEqual([{ target: 'ethereum/USDT', details: { environment: 'test', amount: 250 } }]);
    const refused = await owner('POST', 'test/payouts', { ...asset, amount: 1_000_000, payout_id: 'too-much' });
    expect(refused).toMatchObject({ refused: { code: 'balance', reserve: '2.50' } });
  });

  test.each([
    ['amount', { amount: -1 }],
    ['currency', { amount: 1, currency: 'EUR' }],
  ])('with a bad %s is refused with the name of the field', async (param, over) => {
    const owner = await browser('owner');
    const answer = await owner('POST', 'test/refund-reserve', { ...asset, ...over });
    expect(answer).toMatchObject({ error: { code: 'INVALID_PARAMETER', param } });
    expect(await kept()).toEqual([]);
  });

  test.each([
    ['a developer', 'developer', {}, 'permission_denied'],
    ['an owner whose second factor is not fresh', 'owner', { isStale: true }, 'step_up_required'],
    ['somebody of another store', null, {}, 'STORE_NOT_FOUND'],
  ] as const)('is not set by %s', async (_, role, state, code) => {
    const other = await browser(role, state);
    expect(await other('POST', 'test/refund-reserve', { ...asset, amount: 0 })).toMatchObject({ error: { code } });
    expect(await kept()).toEqual([]);
  });
});

describe('a payout schedule', () => {
  const asset = { network: 'ethereum', currency: 'USDT' };
  const weekly = { ...asset, interval: 'weekly', least: 1000 };
  const schedules = () => scene.database.prisma.payoutSchedule.findMany({ where: { storeId: store.storeId } });
  const audited = async () =>
    (
      await scene.database.pool.query<object>(
        "SELECT action, target, details FROM audit_entries WHERE store_id = $1 AND action LIKE 'payout_schedule.%' ORDER BY number",
        [store.storeId],
      )
    ).rows;

  test('is set and removed by an owner, and both are in the audit log once', async () => {
    const owner = await browser('owner');
    expect(await owner('POST', 'test/payout-schedules', weekly)).toEqual({ set: true });
    expect(await schedules()).toMatchObject([{ ...asset, environment: 'test', interval: 'weekly', least: 1000n }]);
    expect(await owner('POST', 'test/payout-schedules/remove', asset)).toEqual({ is_removed: true });
    expect(await owner('POST', 'test/payout-schedules/remove', asset)).toEqual({ is_removed: false });
    expect(await schedules()).toMatchObject([{ interval: 'manual', nextRunAt: null }]);
    const details = { environment: 'test', interval: 'weekly', least: 1000 };
    expect(await audited()).toEqual([
      { action: 'payout_schedule.set', target: 'ethereum/USDT', details },
      { action: 'payout_schedule.remove', target: 'ethereum/USDT', details: { environment: 'test' } },
    ]);
  });

  test('is not run before its time outside a sandbox', async () => {
    const owner = await browser('owner');
    await owner('POST', 'test/payout-schedules', weekly);
    const before = await schedules();
    expect(await owner('POST', 'test/payout-schedules/run', asset)).toMatchObject({ error: { code: 'NOT_FOUND' } });
    expect(await schedules()).toEqual(before);
  });

  test('is run before its time by an owner of a sandbox’s store, in the test environment', async () => {
    const sandbox = { ...scene.context.config, SANDBOX_ORIGIN: 'http://127.0.0.1:9' };
    const owner = await browser('owner', { config: sandbox });
    await owner('POST', 'test/payout-schedules', weekly);
    expect(await owner('POST', 'test/payout-schedules/run', asset)).toEqual({ is_due: true });
    expect(await schedules()).toMatchObject([{ interval: 'weekly', nextRunAt: scene.clock.now() }]);
    expect(await audited()).toMatchObject([{}, { action: 'payout_schedule.run', target: 'ethereum/USDT' }]);
    await owner('POST', 'live/payout-schedules', weekly);
    expect(await owner('POST', 'live/payout-schedules/run', asset)).toMatchObject({ error: { code: 'NOT_FOUND' } });
  });

  test('that is refused changes nothing and is not in the audit log', async () => {
    const owner = await browser('owner');
    expect(await owner('POST', 'test/payout-schedules', { ...weekly, least: 99 })).toEqual({
      refused: { code: 'too_small' },
    });
    expect([await schedules(), await audited()]).toEqual([[], []]);
  });

  test.each([
    ['interval', { ...weekly, interval: 'manual' }],
    ['least', { ...weekly, least: 10.5 }],
    ['currency', { ...weekly, currency: 'EUR' }],
  ])('with a bad %s is refused with the name of the field', async (param, body) => {
    const owner = await browser('owner');
    expect(await owner('POST', 'test/payout-schedules', body)).toMatchObject({
      error: { code: 'INVALID_PARAMETER', param },
    });
  });

  test.each([
    ['a developer', 'developer', {}, 'permission_denied'],
    ['a supporter', 'support', {}, 'permission_denied'],
    ['an owner whose second factor is not fresh', 'owner', { isStale: true }, 'step_up_required'],
    ['somebody of another store', null, {}, 'STORE_NOT_FOUND'],
  ] as const)('is neither set, run nor removed by %s', async (_, role, state, code) => {
    const owner = await browser('owner');
    await owner('POST', 'test/payout-schedules', weekly);
    const other = await browser(role, state);
    for (const path of ['test/payout-schedules', 'test/payout-schedules/run', 'test/payout-schedules/remove'])
      expect(await other('POST', path, { ...weekly, least: 500 })).toMatchObject({ error: { code } });
    expect(await schedules()).toMatchObject([{ interval: 'weekly', least: 1000n }]);
  });

  test('has the names of its payouts to itself: an owner can request none under such a name', async () => {
    const owner = await browser('owner');
    const payout_id = 'scheduled_2026-11-29_ethereum_usdt';
    expect(await owner('POST', 'test/payouts', { ...asset, amount: 500, payout_id })).toEqual({
      refused: { code: 'conflict' },
    });
  });
});
