// Payouts wait for the screening of the store's address. A hit holds the payout of that store and of no other; the answer is requested
// when the address is announced.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { runScreening } from '@/lib/screening/step';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openAddressScene, WALLETS } from '@/testing/payouts/address-scene';
import { openPayoutChain } from '@/testing/payouts/payout-chain';
import { openPayoutScene, type PayoutScene } from '@/testing/payouts/payout-scene';
import { openRefundScene } from '@/testing/refunds/refund-scene';
import { LIST_KEY, loadList } from '@/testing/screening/signed-list';

const [ADDRESS, LISTED] = [`0x${'a1'.repeat(20)}`, `0x${'c3'.repeat(20)}`] as const;
const { clock, chain, sender, spec, restart } = openPayoutChain();

let db: TestDatabase;
let scene: PayoutScene;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(async () => {
  restart();
  await db.pool.query('TRUNCATE screenings, sanctioned_addresses, sanctions_lists');
  await loadList(db.pool, [LISTED], { asOf: clock.now().toISOString() });
  const settings = { SCREENING_LIST_KEY: LIST_KEY, SCREENED_ROLES: 'payee' };
  scene = openPayoutScene(await openRefundScene({ db, clock, spec, sender, settings }));
  await scene.session();
});

const screening = () => runScreening(scene.context, { spec, oracle: null });

it('a payout waits for the screening of its address and is then paid, without senders where only payees are screened', async () => {
  await scene.address(ADDRESS);
  const id = await scene.request();
  await scene.pass();
  expect(await scene.read(id)).toMatchObject({ hold: 'screening_unknown' });
  expect(scene.signing.signed).toBe(0);
  await screening();
  chain.outcome = 'landed';
  expect(await scene.untilEnded(id)).toMatchObject({ status: 'completed', destination: ADDRESS });
});

it('a payout to a listed address is held until the hit is released', async () => {
  await scene.address(LISTED);
  const id = await scene.request();
  await scene.pass();
  await screening();
  await scene.pass();
  expect(await scene.read(id)).toMatchObject({ hold: 'screened', status: 'processing' });
  expect([await scene.attempts(id), scene.signing.signed]).toEqual([[], 0]);
  await db.pool.query(`UPDATE screenings SET released_at = now() WHERE verdict = 'hit'`);
  chain.outcome = 'landed';
  expect(await scene.untilEnded(id)).toMatchObject({ status: 'completed' });
});

it('a held payout can be canceled', async () => {
  await scene.address(LISTED);
  const id = await scene.request();
  await scene.pass();
  await screening();
  await scene.pass();
  await scene.cancel(id);
  expect(await scene.read(id)).toMatchObject({ status: 'canceled' });
});

it('an address is screened when the worker announces it, long before it may be paid, and adding it waits for no source', async () => {
  const addresses = await openAddressScene({ SCREENING_LIST_KEY: LIST_KEY });
  try {
    const of = await addresses.store();
    await addresses.add(of);
    const rows = () => addresses.database.pool.query('SELECT address, role, verdict, source FROM screenings');
    expect((await rows()).rows).toEqual([]);
    await addresses.announce();
    expect((await rows()).rows).toMatchObject([{ address: WALLETS.first, role: 'payee', verdict: 'unknown' }]);
    await loadList(addresses.database.pool, [WALLETS.first], { asOf: addresses.clock.now().toISOString() });
    expect((await rows()).rows).toMatchObject([{ verdict: 'hit', source: 'list' }]);
  } finally {
    await addresses.close();
  }
});
