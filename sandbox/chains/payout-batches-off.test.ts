// The signer's setting for batches of payouts is removed while a transaction of the wallet is pending. Its nonce comes before all later
// payments, so the worker sends it to its end.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { openEvmSender } from '@/lib/networks/families/evm/sending/send';
import type { ChainSender } from '@/lib/networks/sending/send';
import { systemClock } from '@/lib/platform/clock';
import { silentLog } from '@/testing/chain-clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeStore } from '@/testing/fixtures';
import { newAddress, openBatchChain } from '@/testing/payouts/batch-chain';
import { openPayoutScene, type PayoutScene } from '@/testing/payouts/payout-scene';
import { openRefundScene } from '@/testing/refunds/refund-scene';
import { batchRules } from '@/testing/signer/batch-scene';
import { accounts, policy } from '@/testing/signer/signer-scene';
import { EVM_NETWORKS } from './evm/start';
import { startTestEvm } from './evm/test-chain';
import type { LocalNetwork } from './local-network';

const FINAL = 6;
const FIVE = 5_000_000n;
const ALLOWANCE = 500_000_000_000n;
const wallet = accounts.of('test', 'evm').address;

let db: TestDatabase;
let chain: LocalNetwork;
let on: ReturnType<typeof openBatchChain>;
let sender: ChainSender;
let scene: PayoutScene;

beforeAll(async () => {
  db = await openTestDatabase();
  chain = await startTestEvm(EVM_NETWORKS.find(({ network }) => network === 'ethereum'));
  on = openBatchChain(chain);
  const { spec } = chain;
  const log = silentLog();
  sender = openEvmSender({ spec, urls: [chain.rpcUrl], needed: 1, clock: systemClock, log, timeoutMs: 5000 });
  await chain.pay({ currency: 'USDT', recipient: wallet, cents: 1_000_000_00n, scenario: 'exact' });
  await on.rpc('anvil_setBalance', wallet, '0xde0b6b3a7640000');
}, 60_000);
afterAll(async () => {
  await chain.stop();
  await db.close();
});

/** A new signer and its worker, on the wallet as it is. */
async function open(): Promise<void> {
  await chain.mine(FINAL);
  const given = { db, clock: systemClock, spec: chain.spec, sender, intervals: { lease: 0 }, rules: batchRules() };
  scene = openPayoutScene(await openRefundScene(given));
}
const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) {
    await scene.pass();
    await chain.mine(FINAL);
  }
};
const turnOff = () => scene.signing.restart({ policy: { ...policy(), batches: [] } });
const replacing = () => ({ intervals: { ...scene.sending.intervals, replaceAfter: 0 } });
const lastAllowance = () => scene.signing.calls.lastAllowance!({ environment: 'test', network: 'ethereum' });

async function requested(count: number) {
  const payouts = [];
  for (let n = 0; n < count; n++) {
    const { storeId } = await makeStore(db, scene.context.config);
    await scene.session('USDT', 100_000n, undefined, storeId);
    const to = newAddress();
    await scene.address(to, undefined, storeId);
    payouts.push({ to, id: await scene.request({}, storeId) });
  }
  return payouts;
}
/** In how many transactions all of them arrived, each once. */
async function paidIn(payouts: Awaited<ReturnType<typeof requested>>): Promise<number> {
  await turns(10);
  const rows = await Promise.all(payouts.map(({ id }) => scene.read(id)));
  expect(rows.map(({ status }) => status)).toEqual(payouts.map(() => 'completed'));
  expect(await Promise.all(payouts.map(({ to }) => chain.balance(to, 'USDT')))).toEqual(payouts.map(() => FIVE));
  return new Set(rows.map(({ transactionHash }) => transactionHash)).size;
}

it('a batch that no block includes is replaced and pays each payout once, and later payouts go alone', async () => {
  await open();
  await turns(4);
  const payouts = await requested(3);
  await on.rpc('evm_setAutomine', false);
  for (let turn = 0; turn < 3; turn++) await scene.pass();
  turnOff();
  for (let turn = 0; turn < 4; turn++) await scene.pass(replacing());
  const [first, ...dearer] = scene.signing.signer.attempts(payouts[0]!.id).attempts;
  expect(first?.item).toBeDefined();
  expect(dearer.length).toBeGreaterThan(0);
  await on.rpc('evm_setAutomine', true);
  expect(await paidIn(payouts)).toBe(1);
  expect(await paidIn(await requested(3))).toBe(3);
}, 60_000);

it.each([
  ['sent again, and later payouts are paid', {}, ALLOWANCE],
  ['replaced by nothing when no block includes it, and later payouts are paid', replacing, 0n],
])(
  'a change of the allowance that was lost is %s',
  async (_, over, allowed) => {
    await on.disallow(wallet);
    await open();
    await on.rpc('evm_setAutomine', false);
    await scene.pass();
    const last = await lastAllowance();
    turnOff();
    await on.rpc('anvil_dropTransaction', last?.hash);
    await scene.pass(typeof over === 'function' ? over() : over);
    await on.rpc('evm_setAutomine', true);
    expect(await paidIn(await requested(3))).toBe(3);
    expect((await lastAllowance())?.params).toMatchObject({ nonce: last?.params.nonce, reset: allowed === 0n });
    expect(await on.allowed(wallet)).toBe(allowed);
  },
  60_000,
);
