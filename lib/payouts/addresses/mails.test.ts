// Whom the mails about a payout address reach, and what the statement reads: it runs in the transaction of each announcement and stop.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { removeMember } from '@/lib/merchants/members/change';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { readPlan } from '@/testing/database/read-plan';
import { openAddressScene, WALLETS, type AddressScene } from '@/testing/payouts/address-scene';
import { mailOwners } from './mails';

const MANY = 5000;
/** Owners, former owners and operators of a store are fewer. */
const FEW = 20;

let scene: AddressScene;
let store: Awaited<ReturnType<AddressScene['store']>>;
beforeAll(async () => {
  scene = await openAddressScene();
  store = await scene.store();
  const { storeId, owner, partner } = store;
  const actor = { userId: partner.id, email: partner.email, by: `user:${partner.id}`, address: '', locale: null };
  await removeMember(scene.context, actor, { storeId, userId: owner.id });
});
afterAll(() => scene.close());

/** A member was removed whose id is `target`, an SQL expression over n. */
const forceRemovals = (target: string, { count, from = 'owner' }: { readonly count: number; readonly from?: string }) =>
  scene.force(
    `INSERT INTO audit_entries (number, at, actor, store_id, action, target, details, address, hash)
     SELECT (SELECT max(number) FROM audit_entries) + n, $2::timestamptz, 'system', $1, 'member.remove', ${target},
       json_build_object('from', $3::text), '', '\\x00' FROM generate_series(1, ${count}) n`,
    [store.storeId, scene.clock.now(), from],
  );

/** Queues the mails; returns their recipients and the statement that found these. */
async function mailed(): Promise<{ to: string[]; statement: { text: string; values: unknown[] } }> {
  const statements: { name: string; text: string; values: unknown[] }[] = [];
  await scene.clearMails();
  await transaction(scene.database.pool, (tx) => {
    const query = (given: (typeof statements)[number]) => {
      statements.push(given);
      return tx.query(given);
    };
    const noted = Object.assign(Object.create(tx) as Tx, { query });
    const of = { storeId: store.storeId, environment: 'test', network: 'ethereum', address: WALLETS.first } as const;
    return mailOwners(noted, scene.context, of, {
      kind: 'PayoutAddressStopped',
      actorId: null,
      now: scene.clock.now(),
    });
  });
  const statement = statements.find(({ name }) => name === 'payout-address-owners');
  if (!statement) throw new Error('the recipients were not read');
  return { to: (await scene.mails()).map(({ to }) => to).toSorted(), statement };
}

test('reads the owners and former owners of a store without all users and all of its audit log', async () => {
  await scene.force(
    `INSERT INTO users (id, email, role, created_at) SELECT gen_random_uuid(), 'user' || n || '@example.test', 'merchant', $1 FROM generate_series(1, ${MANY}) n`,
    [scene.clock.now()],
  );
  await scene.force(
    `INSERT INTO audit_entries (number, at, actor, store_id, action, target, details, address, hash)
     SELECT (SELECT max(number) FROM audit_entries) + n, $2::timestamptz, 'system', $1, 'key.create', 'key:' || n, '{}', '', '\\x00'
     FROM generate_series(1, ${MANY}) n`,
    [store.storeId, scene.clock.now()],
  );
  await scene.database.pool.query('ANALYZE users, audit_entries, members');
  const { to, statement } = await mailed();
  expect(to).toEqual([store.owner.email, store.partner.email].toSorted());
  expect((await readPlan(scene.database.pool, statement)).rowsRead).toBeLessThanOrEqual(FEW);
});

test('sends no mail for an audit entry whose target is not a user ID, or to a former member who was not an owner', async () => {
  await forceRemovals(`'key:' || n`, { count: 3 });
  await forceRemovals(`'${'-'.repeat(36)}'`, { count: 1 });
  const support = await scene.accounts.user();
  await forceRemovals(`'${support.id}'`, { count: 1, from: 'support' });
  expect((await mailed()).to).toEqual([store.owner.email, store.partner.email].toSorted());
});

test('mails the owner who was removed first, however many accounts are added and removed afterwards', async () => {
  await forceRemovals(`gen_random_uuid()::text`, { count: 200 });
  expect((await mailed()).to).toContain(store.owner.email);
});
