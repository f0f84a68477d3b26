// Payouts on a real EVM node by the worker's steps and the real signer: each exactly once, whatever is interrupted, beside refunds of the
// same wallet, and after the database was restored to before them.

import { Wallet } from 'ethers';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { openEvmSender } from '@/lib/networks/families/evm/sending/send';
import type { ChainSender } from '@/lib/networks/sending/send';
import { systemClock } from '@/lib/platform/clock';
import { armCrashPoint, CRASH_POINTS } from '@/lib/platform/crash-point';
import { forgetPayout } from '@/testing/payouts/forget-payout';
import { checkBooks } from '@/lib/ledger/invariants/check';
import { recoveredName } from '@/lib/refunds/recovery/adopt';
import { recover } from '@/lib/refunds/recovery/recover';
import { openSignerCheck } from '@/lib/refunds/recovery/signer-check';
import { scheduleStep } from '@/lib/payouts/schedules/step';
import { setSchedule } from '@/lib/payouts/schedules/set';
import { silentLog } from '@/testing/chain-clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { openPayoutScene, type PayoutScene } from '@/testing/payouts/payout-scene';
import { crashAt } from '@/testing/refunds/crash';
import { openRefundScene, PAID, type RefundScene } from '@/testing/refunds/refund-scene';
import { signerOf } from '@/testing/signer/journal-scene';
import { accounts } from '@/testing/signer/signer-scene';
import { openRpc, type Rpc } from './evm/rpc';
import { EVM_NETWORKS } from './evm/start';
import { startTestEvm } from './evm/test-chain';
import type { LocalNetwork } from './local-network';

const FINAL = 6;
const FIVE = 5_000_000n;
const wallet = accounts.of('test', 'evm').address;
const newAddress = () => Wallet.createRandom().address.toLowerCase();

let db: TestDatabase;
let chain: LocalNetwork;
let rpc: Rpc;
let sender: ChainSender;
let refunds: RefundScene;
let scene: PayoutScene;

beforeAll(async () => {
  db = await openTestDatabase();
  chain = await startTestEvm(EVM_NETWORKS.find(({ network }) => network === 'ethereum'));
  rpc = openRpc(chain.rpcUrl);
  const { spec } = chain;
  const log = silentLog();
  sender = openEvmSender({ spec, urls: [chain.rpcUrl], needed: 1, clock: systemClock, log, timeoutMs: 5000 });
  await chain.pay({ currency: 'USDT', recipient: wallet, cents: 100_000_00n, scenario: 'exact' });
}, 60_000);
afterAll(async () => {
  await chain.stop();
  await db.close();
});
afterEach(() => armCrashPoint(undefined));
beforeEach(async () => {
  await rpc('anvil_setBalance', wallet, '0xde0b6b3a7640000');
  await mine();
  refunds = await openRefundScene({ db, clock: systemClock, spec: chain.spec, sender, intervals: { lease: 0 } });
  scene = openPayoutScene(refunds);
  await scene.session();
});

const mine = () => chain.mine(FINAL);
const held = (to: string) => chain.balance(to, 'USDT');
const used = async () => Number(await rpc('eth_getTransactionCount', wallet, 'latest'));

it.each(CRASH_POINTS)('a crash at %s leads to one payment with the same signed bytes', async (point) => {
  const before = await used();
  const to = newAddress();
  await scene.address(to);
  const id = await scene.request();
  await crashAt(point, scene, () => chain.mine(1));
  expect(await scene.untilEnded(id, mine)).toMatchObject({ status: 'completed', destination: to });
  const attempts = await scene.attempts(id);
  expect(attempts.map(({ status }) => status)).toEqual(['landed']);
  expect(attempts.map(({ hash }) => hash)).toEqual(scene.signing.signer.attempts(id).attempts.map(({ hash }) => hash));
  expect([await held(to), await used()]).toEqual([FIVE, before + 1]);
  expect(await scene.balance('payout')).toBe(0n);
});

it('three workers pay four payouts and four refunds of one wallet once each, with consecutive nonces', async () => {
  const before = await used();
  const to = newAddress();
  await scene.address(to);
  const payouts = [];
  for (let count = 0; count < 4; count++) payouts.push(await scene.request());
  const payers = Array.from({ length: 4 }, newAddress);
  const refunded = [];
  for (const payer of payers) refunded.push(await refunds.refund({ to: payer }));
  for (let turn = 0; turn < 40; turn++) {
    await Promise.all([scene.pass(), scene.pass(), scene.pass()]);
    await mine();
  }
  for (const id of payouts) expect(await scene.read(id)).toMatchObject({ status: 'completed' });
  for (const id of refunded) expect(await refunds.read(id)).toMatchObject({ status: 'completed' });
  expect(await held(to)).toBe(4n * FIVE);
  for (const payer of payers) expect(await held(payer)).toBe(FIVE);
  expect(await used()).toBe(before + 8);
});

it('a payout that a restored database lacks is recovered from the signer’s journal, and never paid a second time', async () => {
  const to = newAddress();
  await scene.address(to);
  const id = await scene.request({ payoutId: 'december', amount: PAID });
  for (let turn = 0; turn < 4; turn++) await scene.pass();
  await mine();
  await forgetPayout(db, id);
  expect(await scene.balance('store')).toBe(PAID * 10_000n);
  const journal = signerOf(() => scene.signing.signer);
  const { refunds: recovered, isLevel } = await recover(scene.context, journal, false);
  scene.signing.unfreeze();
  expect([recovered.map((one) => one.recovered), isLevel]).toEqual([[{ done: 'recreated' }], true]);
  expect(await scene.read(id)).toMatchObject({ payoutId: recoveredName(id), status: 'processing', amount: PAID });
  expect(await scene.balance('store')).toBe(0n);
  expect(await scene.request({ payoutId: 'december', amount: PAID })).toBe(id);
  expect(await scene.untilEnded(id, mine)).toMatchObject({ status: 'completed', payoutId: 'december' });
  expect(await held(to)).toBe(PAID * 10_000n);
});

it('a schedule requests nothing of a restored database before the signed payout is recovered, and then no second one', async () => {
  const to = newAddress();
  await scene.address(to);
  const key = { storeId: scene.storeId, environment: 'test', network: 'ethereum', currency: 'USDT' } as const;
  await setSchedule(scene.context, key, { interval: 'threshold', least: 100n }, async () => {});
  const journal = signerOf(() => scene.signing.signer);
  const step = scheduleStep((context) => openSignerCheck(journal, [])(context));
  const payouts = () => db.prisma.payout.findMany({ where: { storeId: scene.storeId } });
  // Each test has a signer of its own, whose journal was not compared with the database yet.
  await db.pool.query('DELETE FROM signer_marks');
  await step(scene.context);
  const [requested] = await payouts();
  const id = requested?.id ?? '';
  expect(requested).toMatchObject({ amount: PAID });
  for (let turn = 0; turn < 4; turn++) await scene.pass();
  await mine();
  await forgetPayout(db, id);
  await db.pool.query(
    'UPDATE payout_schedules SET count = 0, last_payout_id = NULL, next_run_at = now() WHERE store_id = $1',
    [scene.storeId],
  );
  await scene.session();
  await scene.session();

  await step(scene.context);
  expect(await payouts()).toEqual([]);
  const { isLevel } = await recover(scene.context, journal, false);
  scene.signing.unfreeze();
  expect(isLevel).toBe(true);
  await step(scene.context);
  expect(await payouts()).toMatchObject([{ id, amount: PAID, payoutId: recoveredName(id) }]);
  await scene.untilEnded(id, mine);
  expect(await held(to)).toBe(PAID * 10_000n);
});

it('the books agree with every payout and refund of these tests', async () => {
  const found = (await checkBooks(db.pool)).filter(({ id, count }) => ABOUT_PAYMENTS.test(id) && count > 0);
  expect(found).toEqual([]);
});

/** The sessions of these tests were never watched, so they have no history and no events. */
const ABOUT_PAYMENTS = /^INV-(?:2|3|4|5[bc])/;
