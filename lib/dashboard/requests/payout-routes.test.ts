// Payout addresses through the dashboard's requests: only owners with a fresh second factor change where money goes.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { answerDashboard } from '@/lib/dashboard/adapter';
import { ROUTES } from '@/lib/dashboard/routes';
import type { ApiResponse } from '@/lib/platform/http';
import { browserRequest, cookieOf } from '@/testing/accounts';
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
async function browser(role: MemberRole | null, { hasTotp = true, isStale = false } = {}) {
  const user = await scene.accounts.user({ hasTotp });
  if (role) await scene.accounts.member(store.storeId, user.id, role);
  const token = await scene.accounts.login(user.id, { hasFactor: hasTotp });
  if (isStale) await scene.database.pool.query('UPDATE logins SET step_up_at = NULL WHERE user_id = $1', [user.id]);
  const cookie = await cookieOf(scene.context, token);
  return async (method: 'GET' | 'POST', path: string, body?: object) => {
    const full = `/api/dashboard/stores/${store.storeId}/${path}`;
    const request = browserRequest(scene.context, { method, path: full, cookie, body });
    const answer = (await answerDashboard(scene.context, request, ROUTES)) as ApiResponse;
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
