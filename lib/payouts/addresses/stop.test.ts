// Stopping a payout address: by an owner, and by the link in the mail, which needs no sign-in.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { removeMember } from '@/lib/merchants/members/change';
import { newStopToken } from '@/lib/platform/ids';
import { DELAY_SECONDS, openAddressScene, WALLETS, type AddressScene } from '@/testing/payouts/address-scene';
import { readByStopToken, stopByToken, stopPayoutAddress } from './stop';

let scene: AddressScene;
let store: Awaited<ReturnType<AddressScene['store']>>;
let id: string;
beforeAll(async () => void (scene = await openAddressScene()));
afterAll(() => scene.close());
beforeEach(async () => {
  await scene.force('DELETE FROM payout_addresses');
  await scene.clearMails();
  store = await scene.store();
  id = await scene.add(store);
  await scene.announce();
});

const read = () => scene.database.prisma.payoutAddress.findUniqueOrThrow({ where: { id } });
const byOwner = (over: { storeId?: string; id?: string } = {}) =>
  stopPayoutAddress(
    scene.context,
    { storeId: store.storeId, environment: 'test', id, userId: store.partner.id, ...over },
    { by: `user:${store.partner.id}`, address: '203.0.113.9' },
  );

describe('the link', () => {
  test('shows the address without stopping it, however often it is opened', async () => {
    const token = await scene.lastToken();
    for (let n = 0; n < 3; n++)
      expect(await readByStopToken(scene.database.pool, token)).toMatchObject({
        ...{ id, address: WALLETS.first, storeName: 'Test store', stoppedAt: null },
      });
    scene.clock.advance(DELAY_SECONDS);
    expect(await scene.payable(store)).toMatchObject({ id });
  });

  test('stops the address once, mails all owners once, and says so', async () => {
    const token = await scene.lastToken();
    await scene.clearMails();
    expect(await stopByToken(scene.context, token, '203.0.113.9')).toBe(true);
    const stoppedAt = scene.clock.now();
    expect(await read()).toMatchObject({ stoppedAt, stoppedBy: null });
    scene.clock.advance(60);
    expect(await stopByToken(scene.context, token, '203.0.113.9')).toBe(false);
    expect(await readByStopToken(scene.database.pool, token)).toMatchObject({ stoppedAt });
    const mails = await scene.mails();
    expect(mails.map(({ to }) => to).toSorted()).toEqual([store.owner.email, store.partner.email].toSorted());
    expect(mails[0]?.text).toContain('0x9858EfFD232B4033E47d90003D41EC34EcaEda94');
    scene.clock.advance(DELAY_SECONDS);
    expect(await scene.payable(store)).toBeNull();
    const { rows } = await scene.database.pool.query(
      `SELECT actor, address, details FROM audit_entries WHERE target = $1 AND action = 'payout_address.stop'`,
      [id],
    );
    expect(rows).toMatchObject([{ actor: 'system', address: '203.0.113.9', details: { by: 'mail_link' } }]);
  });

  test('stops the address once when it is used twice at the same time', async () => {
    const token = await scene.lastToken();
    const stopped = await Promise.all([1, 2].map(() => stopByToken(scene.context, token, '203.0.113.9')));
    expect(stopped.filter(Boolean)).toHaveLength(1);
  });

  test.each([
    ['a forged token', () => newStopToken()],
    ['the hash that the database holds', async () => Buffer.from((await read()).stopHash ?? '').toString('hex')],
    ['text that is no token', () => "' OR 1=1 --"],
    ['nothing', () => ''],
  ])('with %s stops nothing', async (_, token) => {
    const given = await token();
    expect(await stopByToken(scene.context, given, '203.0.113.9')).toBe(false);
    expect(await readByStopToken(scene.database.pool, given)).toBeNull();
    expect(await read()).toMatchObject({ stoppedAt: null });
  });

  test('of one address stops no other one', async () => {
    const token = await scene.lastToken();
    const other = await scene.add(store, { typed: WALLETS.second });
    await scene.announce();
    await stopByToken(scene.context, token, '203.0.113.9');
    scene.clock.advance(DELAY_SECONDS);
    expect(await scene.payable(store)).toEqual({ id: other, address: WALLETS.second });
  });
});

describe('an owner', () => {
  test('stops an address once, and the others learn who did it', async () => {
    await scene.clearMails();
    expect([await byOwner(), await byOwner()]).toEqual([true, false]);
    expect(await read()).toMatchObject({ stoppedBy: store.partner.id });
    const mails = await scene.mails();
    expect(mails).toHaveLength(2);
    for (const { text } of mails) expect(text).toContain(store.partner.email);
  });

  test('cannot stop the address of another store', async () => {
    const other = await scene.store();
    await expect(byOwner({ storeId: other.storeId })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(byOwner({ id: 'pa_unknown' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await read()).toMatchObject({ stoppedAt: null });
  });

  test('can stop an address before the worker announced it', async () => {
    id = await scene.add(store, { typed: WALLETS.second });
    expect(await byOwner()).toBe(true);
    await scene.announce();
    expect(await read()).toMatchObject({ mailedAt: null });
  });
});

describe('an owner whom another one has removed', () => {
  const removed = async () => {
    const { storeId, owner, partner } = store;
    const thief = { userId: partner.id, email: partner.email, by: `user:${partner.id}`, address: '', locale: null };
    await removeMember(scene.context, thief, { storeId, userId: owner.id });
    await scene.clearMails();
    id = await scene.add({ ...store, owner: partner }, { typed: WALLETS.second });
    await scene.announce();
    return (await scene.mails()).filter(({ to }) => to === owner.email);
  };

  test('is mailed for a week, and can stop an address that the other one adds', async () => {
    expect(await removed()).toHaveLength(1);
    expect(await stopByToken(scene.context, await scene.lastToken(), '203.0.113.9')).toBe(true);
    scene.clock.advance(7 * 86_400 + 1);
    await scene.clearMails();
    await scene.add({ ...store, owner: store.partner }, { typed: WALLETS.third });
    await scene.announce();
    expect((await scene.mails()).map(({ to }) => to)).toEqual([store.partner.email]);
  });

  test('is mailed once after being an owner again', async () => {
    const { storeId, owner } = store;
    await removed();
    await scene.accounts.member(storeId, owner.id, 'owner');
    await scene.clearMails();
    await scene.add(store, { typed: WALLETS.third });
    await scene.announce();
    expect((await scene.mails()).filter(({ to }) => to === owner.email)).toHaveLength(1);
  });
});
