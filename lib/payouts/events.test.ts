// The events of payouts, for stores whose endpoint gets them.

import { getAddress } from 'ethers';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openPayoutChain } from '@/testing/payouts/payout-chain';
import { openPayoutScene, type PayoutScene } from '@/testing/payouts/payout-scene';
import { openRefundScene } from '@/testing/refunds/refund-scene';

const FIRST = `0x${'a1'.repeat(20)}`;
const { clock, chain, sender, spec, restart } = openPayoutChain();

let db: TestDatabase;
let scene: PayoutScene;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(async () => {
  restart();
  scene = openPayoutScene(await openRefundScene({ db, clock, spec, sender }));
  await scene.session();
});

const choose = (events: readonly string[]) =>
  db.pool.query(
    `INSERT INTO webhook_endpoints (id, store_id, environment, url, secret_ciphertext, optional_events)
     VALUES (gen_random_uuid(), $1, 'test', 'https://shop.example/', '', $2)`,
    [scene.storeId, events],
  );
const events = async () => {
  const { rows } = await db.pool.query<{ type: string; body: string; deliveries: number }>(
    `SELECT type, body, (SELECT count(*)::int FROM deliveries d WHERE d.event_id = e.id) AS deliveries FROM events e
     WHERE store_id = $1 AND type LIKE 'payout.%'`,
    [scene.storeId],
  );
  return rows.map(({ type, body, deliveries }) => ({ type, deliveries, ...JSON.parse(body).data.object }));
};

it('the event of a payout that arrived is sent once to a store that chose it, and names the transaction', async () => {
  await choose(['payout.paid', 'payout.failed']);
  await scene.address(FIRST);
  const id = await scene.request({ payoutId: 'po-1', description: 'November' });
  chain.outcome = 'landed';
  const { transactionHash } = await scene.untilEnded(id);
  await scene.pass();
  const sent = { payout_id: 'po-1', amount: 500, currency: 'USDT', network: 'ethereum', status: 'completed' };
  const [event] = await events();
  expect(await events()).toHaveLength(1);
  expect(event).toEqual({
    ...{ type: 'payout.paid', deliveries: 1, ...sent, description: 'November', transaction_hash: transactionHash },
    destination: getAddress(FIRST),
  });
});

it('the event of a payout that failed says why; a canceled payout and a store that chose none get none', async () => {
  await choose(['payout.failed']);
  await scene.address(FIRST);
  await scene.cancel(await scene.request());
  chain.refused.add(FIRST);
  await scene.untilEnded(await scene.request({ payoutId: 'po-2' }));
  chain.refused.clear();
  chain.outcome = 'landed';
  await scene.untilEnded(await scene.request({ payoutId: 'po-3' }));
  expect(await events()).toMatchObject([
    { type: 'payout.failed', payout_id: 'po-2', failure_reason: 'The issuer of USDT has blocked the recipient.' },
  ]);
});
