// Batches of payouts on a real EVM node by the worker's steps and the real signer: each payout arrives exactly once, whatever is interrupted,
// and what concerns one payout does not stop the others.

import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { coinStep } from '@/lib/ledger/coin/step';
import { checkBooks } from '@/lib/ledger/invariants/check';
import { PAYOUT_BATCH } from '@/lib/networks/families/evm/batching/payout-batch';
import { openEvmSender } from '@/lib/networks/families/evm/sending/send';
import type { ChainSender } from '@/lib/networks/sending/send';
import { systemClock } from '@/lib/platform/clock';
import { armCrashPoint, CRASH_POINTS } from '@/lib/platform/crash-point';
import { recover } from '@/lib/refunds/recovery/recover';
import { AddressSourceError } from '@/lib/treasury/wallets/address-source';
import { silentLog } from '@/testing/chain-clock';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeStore } from '@/testing/fixtures';
import { newAddress, openBatchChain } from '@/testing/payouts/batch-chain';
import { forgetPayout } from '@/testing/payouts/forget-payout';
import { openPayoutScene, type PayoutScene } from '@/testing/payouts/payout-scene';
import { crashAt } from '@/testing/refunds/crash';
import { openRefundScene, type RefundScene } from '@/testing/refunds/refund-scene';
import { batchRules } from '@/testing/signer/batch-scene';
import { signerOf } from '@/testing/signer/journal-scene';
import { accounts } from '@/testing/signer/signer-scene';
import { EVM_NETWORKS } from './evm/start';
import { startTestEvm } from './evm/test-chain';
import type { LocalNetwork } from './local-network';

const FINAL = 6;
const FIVE = 5_000_000n;
const wallet = accounts.of('test', 'evm').address;

let db: TestDatabase;
let chain: LocalNetwork;
let on: ReturnType<typeof openBatchChain>;
let sender: ChainSender;
let refunds: RefundScene;
let scene: PayoutScene;

beforeAll(async () => {
  db = await openTestDatabase();
  chain = await startTestEvm(EVM_NETWORKS.find(({ network }) => network === 'ethereum'));
  on = openBatchChain(chain);
  const { spec } = chain;
  const log = silentLog();
  sender = openEvmSender({ spec, urls: [chain.rpcUrl], needed: 1, clock: systemClock, log, timeoutMs: 5000 });
  for (const currency of ['USDT', 'USDC'])
    await chain.pay({ currency, recipient: wallet, cents: 1_000_000_00n, scenario: 'exact' });
}, 60_000);
afterAll(async () => {
  await chain.stop();
  await db.close();
});
afterEach(() => armCrashPoint(undefined));
beforeEach(async () => {
  await on.rpc('anvil_setBalance', wallet, '0xde0b6b3a7640000');
  await mine();
  await open();
});

async function open(...given: Parameters<typeof batchRules>): Promise<void> {
  const rules = batchRules(...given);
  refunds = await openRefundScene({ db, clock: systemClock, spec: chain.spec, sender, intervals: { lease: 0 }, rules });
  scene = openPayoutScene(refunds);
  // The contract gets its allowance first.
  for (let turn = 0; turn < 4; turn++) {
    await scene.pass();
    await mine();
  }
}

const mine = () => chain.mine(FINAL);
const held = (to: string, currency = 'USDT') => chain.balance(to, currency);
/** A store with money and a payout address of its own. */
async function openStore(
  currency: string,
): Promise<{ readonly storeId: string; readonly to: string; readonly addressId: string }> {
  const { storeId } = await makeStore(db, refunds.context.config);
  await scene.session(currency, 100_000n, undefined, storeId);
  const to = newAddress();
  return { storeId, to, addressId: await scene.address(to, undefined, storeId) };
}
/** Payouts of stores, each to the address of its store. */
async function requested(count: number, perStore = 1, currency: 'USDT' | 'USDC' = 'USDT') {
  const payouts = [];
  for (let n = 0; n < count; n += perStore) {
    const store = await openStore(currency);
    for (let k = 0; k < perStore && n + k < count; k++)
      payouts.push({ ...store, id: await scene.request({ currency }, store.storeId) });
  }
  return payouts;
}
const idsOf = (payouts: readonly { readonly id: string }[]): readonly string[] => payouts.map(({ id }) => id);
/** Runs the worker until all of them ended. */
const ended = async (ids: readonly string[], turns = 60) => {
  for (let turn = 0; turn < turns; turn++) {
    await scene.pass();
    await mine();
    const rows = await Promise.all(ids.map((id) => scene.read(id)));
    if (rows.every(({ status }) => status === 'completed' || status === 'failed')) return rows;
  }
  const rows = await Promise.all(ids.map((id) => scene.read(id)));
  throw new Error(
    `not ended: ${JSON.stringify(rows.map(({ status, hold, holdMessage }) => [status, hold, holdMessage]))}`,
  );
};
/** The transactions that paid them. */
const hashesOf = (rows: readonly { transactionHash: string | null }[]) =>
  new Set(rows.map((one) => one.transactionHash));

it('sixty payouts arrive in two transactions, each exactly once, and share their fee', async () => {
  const payouts = await requested(60, 15);
  const before = await on.used(wallet);
  const rows = await ended(idsOf(payouts));
  expect(rows.every(({ status }) => status === 'completed')).toBe(true);
  const hashes = hashesOf(rows);
  expect(hashes.size).toBe(2);
  for (const to of new Set(payouts.map((one) => one.to))) expect(await held(to)).toBe(15n * FIVE);
  expect(await on.used(wallet)).toBe(before + 2);
  for (const hash of hashes) {
    const receipt = await on.receipt(hash ?? '');
    const fees = await db.prisma.refundAttempt.findMany({
      where: { hash: hash ?? '' },
      select: { fee: true, status: true },
    });
    expect(receipt).toMatchObject({ status: '0x1', to: PAYOUT_BATCH });
    expect(new Set(fees.map(({ status }) => status))).toEqual(new Set(['landed']));
    const price = BigInt(
      (await on.rpc<{ effectiveGasPrice: string }>('eth_getTransactionReceipt', hash)).effectiveGasPrice,
    );
    const sum = fees.reduce((total, { fee }) => total + BigInt(fee?.toFixed(0) ?? 0), 0n);
    expect(sum).toBe(BigInt(receipt?.gasUsed ?? 0) * price);
  }
}, 120_000);

/** What the node has of each payout: transfers to fresh addresses, so that their balance is what arrived. */
const arrived = async (payouts: readonly { readonly to: string }[], currency = 'USDT'): Promise<readonly bigint[]> =>
  Promise.all(payouts.map(({ to }) => held(to, currency)));
const paysOnceEach = async (payouts: readonly { readonly to: string; readonly id: string }[], turns?: number) => {
  const rows = await ended(idsOf(payouts), turns);
  expect(rows.map(({ status }) => status)).toEqual(payouts.map(() => 'completed'));
  expect(await arrived(payouts)).toEqual(payouts.map(() => FIVE));
  for (const { id } of payouts)
    expect((await scene.attempts(id)).filter(({ status }) => status === 'landed')).toHaveLength(1);
  return rows;
};

/** What the ledger has booked of the wallet's coin, and what the wallet has. */
async function coins(): Promise<{ readonly booked: bigint; readonly held: bigint }> {
  await coinStep(refunds.context);
  const { rows } = await db.pool.query<{ amount: string }>(
    `SELECT amount::text AS amount FROM ledger_balances WHERE account = 'fee_coin:' || $1 AND currency = 'ETH'`,
    [wallet.toLowerCase()],
  );
  return { booked: BigInt(rows[0]?.amount ?? 0), held: BigInt(await on.rpc('eth_getBalance', wallet, 'latest')) };
}

it.each(CRASH_POINTS)('a crash at %s leads to one payment of each payout', async (point) => {
  const before = await coins();
  const payouts = await requested(4);
  await crashAt(point, scene, () => chain.mine(1));
  const rows = await paysOnceEach(payouts);
  // Only a worker that ends before the request was stored may draft them again, together or alone.
  if (!['after-claim', 'after-draft'].includes(point)) expect(hashesOf(rows).size).toBe(1);
  for (const { id } of payouts)
    expect((await scene.attempts(id)).flatMap(({ hash }) => hash ?? [])).toEqual(
      scene.signing.signer.attempts(id).attempts.map(({ hash }) => hash),
    );
  // The ledger has what the wallet spent to the wei, the changes of the allowance included.
  const after = await coins();
  expect(after.booked - before.booked).toBe(after.held - before.held);
});

it('three workers pay twelve payouts, and none is in two transactions', async () => {
  const payouts = await requested(12);
  for (let turn = 0; turn < 25; turn++) {
    await Promise.all([scene.pass(), scene.pass(), scene.pass()]);
    await mine();
  }
  const rows = await paysOnceEach(payouts);
  expect(rows).toHaveLength(12);
});

it('a payee that is blocked before the draft goes alone and fails with the reason, and the others arrive together', async () => {
  const payouts = await requested(6);
  const [bad, ...good] = payouts;
  await on.block(bad!.to, 'USDT');
  const rows = await ended(idsOf(payouts));
  expect(rows[0]).toMatchObject({ status: 'failed', failureReason: 'The issuer of USDT has blocked the recipient.' });
  expect(await held(bad!.to)).toBe(0n);
  expect(hashesOf(await paysOnceEach(good)).size).toBe(1);
});

it('a payee that is blocked between the signature and the block is skipped and fails with the reason, and the others arrive', async () => {
  const payouts = await requested(6, 1, 'USDC');
  const [bad, ...good] = payouts;
  await on.rpc('evm_setAutomine', false);
  for (let turn = 0; turn < 3; turn++) await scene.pass();
  const [attempt] = await scene.attempts(bad!.id);
  await on.rpc('anvil_dropTransaction', attempt?.hash);
  await on.rpc('evm_setAutomine', true);
  await on.block(bad!.to, 'USDC');
  const rows = await ended(idsOf(payouts));
  expect(rows.map(({ status }) => status)).toEqual(['failed', ...good.map(() => 'completed')]);
  expect(rows[0]?.failureReason).toMatch(/without moving anything: the issuer of USDC has blocked the recipient/);
  expect(await scene.attempts(bad!.id)).toMatchObject([{ status: 'reverted', hash: attempt?.hash }]);
  expect(hashesOf(rows.slice(1))).toEqual(new Set([attempt?.hash]));
  expect(await arrived(payouts, 'USDC')).toEqual([0n, ...good.map(() => FIVE)]);
  // The signer no longer counts it.
  for (let turn = 0; turn < 3; turn++) await scene.pass();
  expect(scene.signing.signer.state().journal.released).toBe(1);
});

it('a stopped address leaves its batch before the signature, and the others are paid', async () => {
  const payouts = await requested(5);
  const [stopped, ...good] = payouts;
  // The signer does not answer the first request.
  const calls = {
    ...scene.sending.signer!.calls,
    signBatch: () => Promise.reject(new AddressSourceError('unavailable', 'The signer gave no answer.')),
  };
  await scene.pass({ signer: { ...scene.sending.signer!, calls } });
  expect(await scene.attempts(stopped!.id)).toMatchObject([{ status: 'drafted' }]);
  await db.pool.query('UPDATE payout_addresses SET stopped_at = now() WHERE id = $1', [stopped!.addressId]);
  const rows = await ended(idsOf(good));
  expect(rows.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed', 'completed']);
  expect(await arrived(payouts)).toEqual([0n, FIVE, FIVE, FIVE, FIVE]);
  expect((await scene.attempts(stopped!.id)).map(({ status }) => status)).toEqual(['refused']);
  expect(await scene.read(stopped!.id)).toMatchObject({ status: 'processing', hold: 'destination_needed' });
});

it('a batch that another worker ends during the checks before the signature is not signed, so no payout is both failed and paid', async () => {
  const payouts = await requested(4);
  const [stopped, blocked, ...good] = payouts;
  const comesDue = (ids: readonly string[], after: string) =>
    db.pool.query(`UPDATE payouts SET next_at = now() + $2::interval WHERE id = ANY($1)`, [ids, after]);
  const endBatch = async () => {
    await db.pool.query('UPDATE payout_addresses SET stopped_at = now() WHERE id = $1', [stopped!.addressId]);
    await on.block(blocked!.to, 'USDT');
    // The other worker drops the batch, and the blocked payout fails alone before any other is signed.
    await scene.pass();
    await comesDue(idsOf([stopped!, ...good]), '1 hour');
    await comesDue([blocked!.id], '-1 second');
    await scene.pass();
  };
  const { calls, ...signer } = scene.sending.signer!;
  let [looks, requests] = [0, 0];
  const attempts: typeof calls.attempts = async (id) => {
    // One look before the members are taken, and one at each of them before the signature.
    if (++looks === 1 + payouts.length) await endBatch();
    return calls.attempts(id);
  };
  const signBatch: typeof calls.signBatch = async (params) => {
    requests++;
    return calls.signBatch!(params);
  };
  await scene.pass({ signer: { ...signer, calls: { ...calls, attempts, signBatch } } });
  expect(await scene.read(blocked!.id)).toMatchObject({ status: 'failed' });
  expect(requests).toBe(0);
  await comesDue(idsOf([stopped!, ...good]), '-1 second');
  await ended(idsOf(good));
  expect(await arrived(payouts)).toEqual([0n, 0n, FIVE, FIVE]);
  expect(payouts.map(({ id }) => scene.signing.signer.attempts(id).attempts.length)).toEqual([0, 0, 1, 1]);
});

it('a payout that is canceled before its request is in no batch', async () => {
  const payouts = await requested(5);
  const [canceled, ...good] = payouts;
  await scene.cancel(canceled!.id, canceled!.storeId);
  expect(hashesOf(await paysOnceEach(good)).size).toBe(1);
  expect(await scene.attempts(canceled!.id)).toEqual([]);
});

it('a batch that no block includes is replaced by the same items with a higher fee, and pays each once', async () => {
  const payouts = await requested(5);
  await on.rpc('evm_setAutomine', false);
  for (let turn = 0; turn < 3; turn++) await scene.pass();
  const over = { intervals: { ...scene.sending.intervals, replaceAfter: 0 } };
  for (let turn = 0; turn < 4; turn++) await scene.pass(over);
  const attempts = await Promise.all(payouts.map(({ id }) => scene.attempts(id)));
  expect(attempts.every((all) => all.length > 1)).toBe(true);
  const nonces = attempts.flatMap((all) => all.map(({ validity }) => (validity as { nonce: number }).nonce));
  expect(new Set(nonces).size).toBe(1);
  await on.rpc('evm_setAutomine', true);
  const rows = await paysOnceEach(payouts);
  expect(hashesOf(rows).size).toBe(1);
});

it('a reorg that drops the batch leads to one payment of each payout', async () => {
  const payouts = await requested(5);
  for (let turn = 0; turn < 4; turn++) await scene.pass();
  await chain.mine(1);
  expect(await arrived(payouts)).toEqual(payouts.map(() => FIVE));
  await chain.reorganise(3);
  expect(await arrived(payouts)).toEqual(payouts.map(() => 0n));
  await paysOnceEach(payouts);
});

it('payouts that a restored database lacks are recovered from the signer’s journal, and never paid a second time', async () => {
  const payouts = await requested(6);
  for (let turn = 0; turn < 4; turn++) await scene.pass();
  await mine();
  for (const { id } of payouts.slice(0, 4)) await forgetPayout(db, id);
  const { refunds: recovered, isLevel } = await recover(
    scene.context,
    signerOf(() => scene.signing.signer),
    false,
  );
  scene.signing.unfreeze();
  expect([recovered.map((one) => one.recovered), isLevel]).toEqual([
    ['', '', '', ''].map(() => ({ done: 'recreated' })),
    true,
  ]);
  const rows = await paysOnceEach(payouts);
  expect(hashesOf(rows).size).toBe(1);
});

it('payouts of a replaced batch that a restored database lacks are recovered, each with all of its attempts', async () => {
  const payouts = await requested(3);
  await on.rpc('evm_setAutomine', false);
  for (let turn = 0; turn < 3; turn++) await scene.pass();
  const over = { intervals: { ...scene.sending.intervals, replaceAfter: 0 } };
  for (let turn = 0; turn < 4; turn++) await scene.pass(over);
  const hashes = (id: string) => scene.signing.signer.attempts(id).attempts.map(({ hash }) => hash);
  expect(hashes(payouts[0]!.id).length).toBeGreaterThan(1);
  for (const { id } of payouts) await forgetPayout(db, id);
  await recover(
    scene.context,
    signerOf(() => scene.signing.signer),
    false,
  );
  scene.signing.unfreeze();
  await on.rpc('evm_setAutomine', true);
  expect(hashesOf(await paysOnceEach(payouts)).size).toBe(1);
  for (const { id } of payouts) expect((await scene.attempts(id)).map(({ hash }) => hash)).toEqual(hashes(id));
});

it('a store gets no more of the signer’s limits in a batch than alone', async () => {
  // While there are other stores, one store may use half of an hour’s limit: four payouts.
  await open({ payoutLimits: { perRefund: 1_000n, perHour: 4_000n, perDay: 50_000n } });
  const [other, ...own] = [...(await requested(1)), ...(await requested(6, 6))];
  await scene.pass();
  const rows = await Promise.all(own.map(({ id }) => scene.read(id)));
  expect(rows.map(({ hold }) => hold).filter((hold) => hold !== null)).toEqual(['limit', 'limit']);
  expect(rows.filter((row) => row.signatureRequestedAt !== null)).toHaveLength(4);
  expect(await scene.attempts(other!.id)).toHaveLength(1);
});

it('a batch that would exceed the signer’s limit is refused, and its payouts are paid alone up to the limit', async () => {
  await open({ payoutLimits: { perRefund: 1_000n, perHour: 1_600n, perDay: 5_000n } });
  const payouts = await requested(5);
  for (let turn = 0; turn < 12; turn++) {
    await scene.pass();
    await mine();
  }
  const rows = await Promise.all(payouts.map(({ id }) => scene.read(id)));
  expect(rows.filter(({ status }) => status === 'completed')).toHaveLength(3);
  const waiting = rows.filter(({ status }) => status === 'processing');
  expect(waiting.map(({ hold }) => hold)).toEqual(['limit', 'limit']);
  expect((await arrived(payouts)).filter((one) => one > 0n)).toHaveLength(3);
});

it('without the contract, or without batches in the signer’s settings, every payout goes alone', async () => {
  await open({ batches: [] });
  expect(hashesOf(await paysOnceEach(await requested(4))).size).toBe(4);
  await open();
  const code = await on.rpc('eth_getCode', PAYOUT_BATCH, 'latest');
  await on.rpc('anvil_setCode', PAYOUT_BATCH, '0x');
  expect(hashesOf(await paysOnceEach(await requested(4))).size).toBe(4);
  await on.rpc('anvil_setCode', PAYOUT_BATCH, code);
});

it('an allowance that is nearly used up is lowered to nothing and raised again, and the next payouts are paid together', async () => {
  await on.disallow(wallet);
  await mine();
  await open({}, 22);
  expect(await on.allowed(wallet)).toBe(22_000_000n);
  // They leave two of 22 tokens.
  expect(hashesOf(await paysOnceEach(await requested(4))).size).toBe(1);
  for (let turn = 0; turn < 4; turn++) {
    await scene.pass();
    await mine();
  }
  expect(await on.allowed(wallet)).toBe(22_000_000n);
  const where = { chainId: refunds.chainId, currency: 'USDT' };
  const changes = await db.prisma.allowanceTransaction.findMany({ where, orderBy: { nonce: 'asc' } });
  expect(changes.map(({ isReset }) => isReset)).toEqual([false, true, false]);
  expect(hashesOf(await paysOnceEach(await requested(3))).size).toBe(1);
});

it('the books agree with every payout of these tests', async () => {
  const found = (await checkBooks(db.pool)).filter(({ id, count }) => ABOUT_PAYMENTS.test(id) && count > 0);
  expect(found).toEqual([]);
});

/** The sessions of these tests were never watched, so they have no history and no events. */
const ABOUT_PAYMENTS = /^INV-(?:2|3|4|5[bc])/;
