// The delay of a new payout address, and which address is paid: what the worker announced, as long as no other process changed it.

import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeFault, openQuarantine } from '@/testing/database/database-fault';
import { DELAY_SECONDS, openAddressScene, WALLETS, type AddressScene } from '@/testing/payouts/address-scene';
import { announceStep } from './announce';
import { listPayoutAddresses } from './list';
import { noticeMac, type AnnouncedAddress } from './notice-mac';
import { addressById, payableAddress } from './payable';

let scene: AddressScene;
let store: Awaited<ReturnType<AddressScene['store']>>;
beforeAll(async () => void (scene = await openAddressScene()));
afterAll(() => scene.close());
beforeEach(async () => {
  await scene.force('DELETE FROM payout_addresses');
  await scene.clearMails();
  scene.lines.length = 0;
  store = await scene.store();
});

const PAID = { address: WALLETS.first };
const inUse = async () => {
  await scene.add(store);
  await scene.announce();
  scene.clock.advance(DELAY_SECONDS);
  expect(await scene.payable(store)).toMatchObject(PAID);
};

describe('the delay', () => {
  test('counts from the worker’s announcement and not from when the address was added', async () => {
    await scene.add(store);
    scene.clock.advance(10 * DELAY_SECONDS);
    expect(await scene.payable(store)).toBeNull();
    await scene.announce();
    const waiting = new Date(scene.clock.now().getTime() + DELAY_SECONDS * 1000);
    expect(await scene.payable(store)).toEqual({ waiting });
    scene.clock.advance(DELAY_SECONDS - 1);
    expect(await scene.payable(store)).toEqual({ waiting });
    scene.clock.advance(1);
    expect(await scene.payable(store)).toMatchObject(PAID);
  });

  test('does not begin again when the worker runs again', async () => {
    await scene.add(store);
    await scene.announce();
    const [mails, waiting] = [await scene.mails(), await scene.payable(store)];
    scene.clock.advance(60);
    expect(await scene.announce()).toEqual({ more: false });
    expect([await scene.mails(), await scene.payable(store)]).toEqual([mails, waiting]);
  });

  test('leaves the former address in use until the new one may be paid, and for good when the new one is stopped', async () => {
    await inUse();
    const second = await scene.add(store, { typed: WALLETS.second });
    await scene.announce();
    expect(await scene.payable(store)).toMatchObject(PAID);
    scene.clock.advance(DELAY_SECONDS);
    expect(await scene.payable(store)).toEqual({ id: second, address: WALLETS.second });
    await scene.database.pool.query('UPDATE payout_addresses SET stopped_at = $2 WHERE id = $1', [
      second,
      scene.clock.now(),
    ]);
    expect(await scene.payable(store)).toMatchObject(PAID);
    expect(await addressById(scene.database.pool, scene.key, second)).toBeNull();
  });

  test('of a live address is a day without a setting', async () => {
    const { pool } = scene.database;
    const live = { storeId: store.storeId, environment: 'live', network: 'ethereum' } as const;
    await scene.add(store, { environment: 'live' });
    await scene.announce();
    const announcedAt = scene.clock.now().getTime();
    const payableAfter = (seconds: number) =>
      payableAddress(pool, scene.key, { ...live, now: new Date(announcedAt + seconds * 1000) });
    expect(await payableAfter(86_399)).toEqual({ waiting: new Date(announcedAt + 86_400_000) });
    expect(await payableAfter(86_400)).toMatchObject(PAID);
  });

  test('of a live address is at least an hour, whatever the settings say', async () => {
    await expect(openAddressScene({ PAYOUT_ADDRESS_DELAY_SECONDS_LIVE: '3599' })).rejects.toThrow(
      'PAYOUT_ADDRESS_DELAY_SECONDS_LIVE',
    );
  });

  describe('that became shorter', () => {
    const HOUR = 3600;
    const announceWithin = (hours: number) => {
      const config = { ...scene.config, PAYOUT_ADDRESS_DELAY_SECONDS_TEST: hours * HOUR };
      return announceStep(scene.key)({ ...scene.context, config });
    };
    const added = async (typed: string, hours: number) => {
      const id = await scene.add(store, { typed });
      await announceWithin(hours);
      return id;
    };

    test('lets no older address replace a newer one', async () => {
      await added(WALLETS.first, 72);
      const second = await added(WALLETS.second, 24);
      scene.clock.advance(72 * HOUR - 1);
      expect(await scene.payable(store)).toHaveProperty('waiting');
      scene.clock.advance(HOUR);
      expect(await scene.payable(store)).toEqual({ id: second, address: WALLETS.second });
      const listed = await listPayoutAddresses(scene.database.pool, {
        ...{ storeId: store.storeId, environment: 'test', now: scene.clock.now() },
      });
      expect(listed.map(({ address, state }) => [address, state])).toEqual([
        [WALLETS.second, 'current'],
        [WALLETS.first, 'former'],
      ]);
      // Neither does a writer to the database who makes the older one the newer one.
      await scene.force(`UPDATE payout_addresses SET created_at = '2100-01-01' WHERE address = $1`, [WALLETS.first]);
      expect(await scene.payable(store)).toMatchObject({ id: second });
    });

    test('applies at once where the older address was stopped, waits elsewhere, or was never announced', async () => {
      const first = await added(WALLETS.first, 72);
      await scene.database.pool.query('UPDATE payout_addresses SET stopped_at = now() WHERE id = $1', [first]);
      await scene.add(store, { typed: WALLETS.first, network: 'bsc' });
      await announceWithin(72);
      await scene.force(
        `INSERT INTO payout_addresses (id, store_id, environment, network, address, created_at, created_by, mailed_at, pay_after,
           notice_mac, stop_hash) VALUES ($1, $2, 'test', 'ethereum', $3, now(), $4, '2020-01-01', '2200-01-01', '\\x00', '\\x01')`,
        ['pa_2222222222222222222222', store.storeId, WALLETS.third, store.owner.id],
      );
      const second = await added(WALLETS.second, 24);
      scene.clock.advance(24 * HOUR);
      expect(await scene.payable(store)).toMatchObject({ id: second });
    });
  });

  test('belongs to one store, environment and network', async () => {
    await inUse();
    const other = await scene.store();
    expect([await scene.payable(other), await scene.payable(store, 'bsc')]).toEqual([null, null]);
  });
});

describe('a writer to the database without the worker’s key', () => {
  test.each([
    ['address', WALLETS.third],
    ['network', 'bsc'],
    ['pay_after', '2020-01-01T00:00:00Z'],
    ['environment', 'live'],
    ['id', 'pa_0000000000000000000000'],
  ])('makes an announced address unpayable by changing its %s', async (column, value) => {
    const id = await scene.add(store);
    await scene.announce();
    scene.clock.advance(column === 'pay_after' ? 0 : DELAY_SECONDS);
    await scene.force(`UPDATE payout_addresses SET ${column} = $2, mailed_at = '2019-01-01' WHERE id = $1`, [
      id,
      value,
    ]);
    const environment = column === 'environment' ? 'live' : 'test';
    const network = column === 'network' ? 'bsc' : 'ethereum';
    const request = { storeId: store.storeId, environment, network, now: scene.clock.now() } as const;
    expect(await payableAddress(scene.database.pool, scene.key, request)).toBeNull();
    expect(await addressById(scene.database.pool, scene.key, column === 'id' ? value : id)).toBeNull();
  });

  test('cannot move an announced address to another store', async () => {
    const id = await scene.add(store);
    await scene.announce();
    scene.clock.advance(DELAY_SECONDS);
    const other = await scene.store();
    await scene.force('UPDATE payout_addresses SET store_id = $2 WHERE id = $1', [id, other.storeId]);
    expect([await scene.payable(other), await scene.payable(store)]).toEqual([null, null]);
  });

  test('cannot announce an address itself, nor hide a valid one behind forged ones', async () => {
    await inUse();
    const payAfter = new Date(scene.clock.now().getTime() - 1000);
    const forged: AnnouncedAddress = {
      ...{ id: 'pa_1111111111111111111111', storeId: store.storeId, network: 'ethereum', address: WALLETS.third },
      ...{ environment: 'test', payAfter },
    };
    await scene.force(
      `INSERT INTO payout_addresses (id, store_id, environment, network, address, created_at, created_by, mailed_at, pay_after,
         notice_mac, stop_hash) VALUES ($1, $2, 'test', 'ethereum', $3, $4, $5, $4, $4, $6, '\\x00')`,
      [
        ...[forged.id, store.storeId, forged.address, payAfter, store.owner.id],
        noticeMac([Buffer.alloc(32, 7)], forged),
      ],
    );
    expect(await scene.payable(store)).toMatchObject(PAID);
  });

  test('cannot bring a replaced address back by changing when it was added', async () => {
    await inUse();
    await scene.add(store, { typed: WALLETS.second });
    await scene.announce();
    scene.clock.advance(DELAY_SECONDS);
    await scene.force(`UPDATE payout_addresses SET created_at = '2100-01-01' WHERE address = $1`, [WALLETS.first]);
    expect(await scene.payable(store)).toMatchObject({ address: WALLETS.second });
  });

  test.each([
    ['resume a stopped address', `SET stopped_at = NULL`],
    ['change an address', `SET address = '${WALLETS.third}'`],
    ['shorten a delay', `SET pay_after = mailed_at`],
  ])('is refused by the database when it tries to %s', async (_, change) => {
    const id = await scene.add(store);
    await scene.announce();
    const { pool } = scene.database;
    await pool.query('UPDATE payout_addresses SET stopped_at = now() WHERE id = $1', [id]);
    await expect(pool.query(`UPDATE payout_addresses ${change} WHERE id = $1`, [id])).rejects.toThrow('once');
    await expect(pool.query('DELETE FROM payout_addresses WHERE id = $1', [id])).rejects.toThrow('once');
  });
});

describe('the announcement', () => {
  test('mails every owner, and no other member, what goes where and from when', async () => {
    for (const role of ['developer', 'support', 'viewer'] as const) {
      const { id } = await scene.accounts.user();
      await scene.accounts.member(store.storeId, id, role);
    }
    await scene.add(store);
    await scene.announce();
    const mails = await scene.mails();
    expect(mails.map(({ to }) => to).toSorted()).toEqual([store.owner.email, store.partner.email].toSorted());
    const until = new Date(scene.clock.now().getTime() + DELAY_SECONDS * 1000).toISOString().slice(0, 10);
    for (const { text } of mails)
      for (const part of ['0x9858EfFD232B4033E47d90003D41EC34EcaEda94', store.owner.email, 'ethereum', until])
        expect(text).toContain(part);
    expect(scene.lines.join('')).toContain(WALLETS.first);
    expect(scene.lines.map((line) => JSON.parse(line) as { mailed?: number })).toContainEqual(
      expect.objectContaining({ storeId: store.storeId, mailed: 2 }),
    );
  });

  test('mails the operators when the store has no owner who can sign in', async () => {
    const operator = await scene.accounts.user({ role: 'operator' });
    await scene.add(store);
    await scene.database.pool.query(
      'UPDATE users SET disabled_at = now() WHERE id IN (SELECT user_id FROM members WHERE store_id = $1)',
      [store.storeId],
    );
    await scene.announce();
    expect((await scene.mails()).map(({ to }) => to)).toEqual([operator.email]);
  });

  test('is not made, and no delay begins, while no owner and no operator can be mailed', async () => {
    const id = await scene.add(store);
    await scene.database.pool.query('UPDATE users SET disabled_at = now()');
    await scene.announce();
    expect(await openQuarantine(scene.database.pool)).toMatchObject([{ kind: 'payout_address', id }]);
    expect(await scene.database.prisma.payoutAddress.findMany()).toMatchObject([{ mailedAt: null, payAfter: null }]);
    await scene.database.pool.query('UPDATE users SET disabled_at = NULL');
    scene.clock.advance(60);
    await scene.announce();
    expect(await scene.mails()).toHaveLength(2);
  });

  test('is not made for an address that was stopped before', async () => {
    const id = await scene.add(store);
    await scene.database.pool.query('UPDATE payout_addresses SET stopped_at = now() WHERE id = $1', [id]);
    await scene.announce();
    expect(await scene.mails()).toEqual([]);
  });

  test.each([
    ['an address of no network', { network: 'nowhere', address: WALLETS.third }],
    ['the burn address', { network: 'ethereum', address: `0x${'0'.repeat(40)}` }],
    ['an address in another form', { network: 'ethereum', address: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC' }],
  ])('of %s fails alone, and the addresses of other stores are announced', async (_, { network, address }) => {
    const [bad, other] = [await scene.add(store), await scene.store()];
    await scene.force('UPDATE payout_addresses SET network = $2, address = $3 WHERE id = $1', [bad, network, address]);
    await scene.add(other);
    await scene.announce();
    expect(new Set((await scene.mails()).map(({ to }) => to))).toEqual(
      new Set([other.owner.email, other.partner.email]),
    );
    expect(await openQuarantine(scene.database.pool)).toMatchObject([{ kind: 'payout_address', id: bad }]);
    await scene.force('DELETE FROM quarantine');
  });

  test('that fails in the database is retried alone, and sends no mail before it succeeds', async () => {
    const id = await scene.add(store);
    const end = await makeFault(scene.database.pool, {
      ...{ table: 'payout_addresses', on: 'UPDATE', row: `NEW.id = '${id}'` },
    });
    await scene.announce();
    await end();
    expect(await scene.mails()).toEqual([]);
    await scene.announce();
    expect(await scene.mails()).toEqual([]);
    scene.clock.advance(60);
    await scene.announce();
    expect(await scene.mails()).toHaveLength(2);
    expect(await openQuarantine(scene.database.pool)).toEqual([]);
  });

  test('writes the link’s token into the mails only: not into the log and not into the database', async () => {
    await scene.add(store);
    await scene.announce();
    const token = await scene.lastToken();
    expect(token).toMatch(/^[0-9A-Za-z]{43}$/);
    expect(scene.lines.join('')).not.toContain(token);
    for (const table of ['payout_addresses', 'mails', 'audit_entries', 'quarantine']) {
      const { rows } = await scene.database.pool.query(`SELECT t::text AS row FROM ${table} t`);
      expect(JSON.stringify(rows)).not.toContain(token);
      expect(JSON.stringify(rows)).not.toContain(Buffer.from(token).toString('hex'));
    }
  });
});
