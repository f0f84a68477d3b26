// What a store's balance can cover: refunds that wait for it, refunds that are reserved later, and which asset the cost is taken from. A
// real database, ledger and signer; the chain's responses are scripted.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { refundException } from '@/lib/payments/exceptions/decide';
import { networkSpec } from '@/lib/networks/networks';
import { writeTronDraft } from '@/lib/networks/families/tron/sending/write-draft';
import { transaction } from '@/lib/platform/database/db';
import { postFunding } from '@/lib/ledger/post-refund';
import { openTestClock } from '@/testing/chain-clock';
import { brokenBooks, FEE, landedFor, QUOTE, useCostScenes } from '@/testing/watching/cost-scene';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeEvidence } from '@/lib/signer/attestations/refund-evidence';
import { makeStore, testConfig, testContext } from '@/testing/fixtures';
import { makePaidSession } from '@/testing/payments/paid-session';
import { refundRequest } from '@/testing/refunds/refund-caller';
import { EXPIRES, openSettledSessions } from '@/testing/payments/settled-session';
import { evidenceKey, localSpec, PAYERS } from '@/testing/signer/signer-scene';
import { createRefundByStore } from './by-store';
import { reserveCost, remainingCostHold } from './costs';
import { recoverIntent } from '@/lib/refunds/recovery/write';
import { rereadPayment, type LeasedRefund } from '@/lib/refunds/rows';
import type { RefundWork } from '@/lib/refunds/sending/sending-context';

const evm = localSpec('ethereum');

let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
const { time, clock, chain, setPrice, open } = useCostScenes(() => db);

it('holds a refund whose cost the balance cannot cover, says how much is missing, and sends it once payments have come in', async () => {
  const scene = await open({ cents: 420 });
  const id = await scene.create('r', 400);
  await scene.pass();
  const held = await scene.read(id);
  expect(held).toMatchObject({
    status: 'processing',
    hold: 'insufficient_balance',
    signatureRequestedAt: null,
    costBearer: null,
  });
  expect(held.holdMessage).toBe(
    'The network cost of this refund is up to 0.45 USDT. The store’s balance on ethereum is 0.25 USDT too small for it. The refund is sent when payments have raised the balance.',
  );
  expect(await scene.books()).toEqual({ 'store USDT': 20, 'refund USDT': 400 });
  await scene.pay(25);
  await scene.pass();
  expect(await scene.read(id)).toMatchObject({ hold: null, costQuoted: QUOTE });
  expect(await scene.books()).toEqual({ 'refund USDT': 445 });
});

it('sends no chain request while the balance cannot cover the last quote, and makes a new quote after a while', async () => {
  const scene = await open({ cents: 420 });
  const id = await scene.create('r', 400);
  await scene.pass();
  chain.drafts = 0;
  for (let minutes = 0; minutes < 59; minutes++) {
    time.now += 60_000;
    await scene.pass();
  }
  expect([chain.drafts, (await scene.read(id)).hold]).toEqual([0, 'insufficient_balance']);
  await setPrice('1000');
  time.now += 60_000;
  await scene.pass();
  expect(chain.drafts).toBe(1);
  expect(await scene.read(id)).toMatchObject({ hold: null, costQuoted: 18n });
});

it('accepts a refund for which costs have left too little money, reserves it later, and never signs it before', async () => {
  const scene = await open({ cents: 500 });
  const first = await scene.create('first', 100);
  await scene.pass();
  chain.outcome = (hash) => landedFor(hash, FEE);
  await scene.pass();
  expect(await scene.read(first)).toMatchObject({ status: 'completed', costCharged: 10n });
  chain.outcome = null;
  const second = await scene.create('second', 400);
  expect(await scene.books()).toEqual({ 'store USDT': 390, 'cost_recovery USDT': 10 });
  await scene.pass();
  const held = await scene.read(second);
  expect(held).toMatchObject({ status: 'processing', hold: 'insufficient_balance', signatureRequestedAt: null });
  expect(held.holdMessage).toContain('The store’s balance is 0.10 USDT too small for this refund.');
  expect(await scene.attempts(second)).toEqual([]);
  expect(await brokenBooks(db)).toEqual([]);
  await scene.pay(100);
  await scene.pass();
  expect(await scene.books()).toEqual({ 'store USDT': 45, 'refund USDT': 445, 'cost_recovery USDT': 10 });
  chain.outcome = (hash) => landedFor(hash, FEE);
  await scene.pass();
  expect(await scene.read(second)).toMatchObject({ status: 'completed' });
  expect(await brokenBooks(db)).toEqual([]);
});

it('releases everything of a refund on hold when it is canceled, whether it was reserved or not', async () => {
  const scene = await open({ cents: 500 });
  await scene.create('costs', 100);
  await scene.pass();
  chain.outcome = (hash) => landedFor(hash, FEE);
  await scene.pass();
  chain.outcome = null;
  await scene.create('unreserved', 400);
  await scene.pass();
  await scene.cancel('unreserved');
  expect(await scene.books()).toEqual({ 'store USDT': 390, 'cost_recovery USDT': 10 });
  await scene.create('reserved', 390);
  await scene.pass();
  await scene.cancel('reserved');
  expect(await scene.books()).toEqual({ 'store USDT': 390, 'cost_recovery USDT': 10 });
  expect(await brokenBooks(db)).toEqual([]);
});

it('takes the cost from another asset of the store when it has too little of the one that the refund is paid in', async () => {
  const scene = await open({ cents: 400 });
  await scene.pay(300, 'USDC');
  await scene.create('r', 400);
  await scene.pass();
  expect(await scene.books()).toEqual({ 'store USDC': 255, 'refund USDC': 45, 'refund USDT': 400 });
  chain.outcome = (hash) => landedFor(hash, FEE);
  await scene.pass();
  expect(await scene.books()).toEqual({ 'store USDC': 290, 'cost_recovery USDC': 10 });
  expect(await brokenBooks(db)).toEqual([]);
});

it('charges the cost of an exception’s refund to the store’s available balance, and keeps the exception’s money separate', async () => {
  const scene = await open({ cents: 40 });
  const world = openSettledSessions(db, openTestClock(EXPIRES + 60), { ethereum: scene.chainId });
  const sessionId = await world.make(scene.storeId, 'expired');
  await world.transfer(sessionId, { cents: 900, network: 'ethereum' });
  await world.settle(sessionId);
  const [found] = await world.casesOf(sessionId);
  const { ownerId } = await db.prisma.store.findUniqueOrThrow({ where: { id: scene.storeId } });
  const by = { kind: 'merchant', userId: ownerId, storeId: scene.storeId } as const;
  await refundException({ ...scene.context, clock: openTestClock(EXPIRES + 60) }, { caseId: String(found?.id), by });
  const { id } = await db.prisma.refund.findFirstOrThrow({ where: { sessionId } });
  time.now = (EXPIRES + 120) * 1000;
  // With an address from the customer, since these transfers carry no proof of their payer.
  const findDestination = async () => ({
    destination: { address: PAYERS.evm, kind: 'claim', reference: 'claim/1' } as const,
  });
  const pass = () => scene.pass({ findDestination });
  await pass();
  expect(await scene.read(id)).toMatchObject({ hold: 'insufficient_balance', caseId: found?.id });
  await scene.pay(20);
  await pass();
  expect(await scene.books()).toEqual({ 'refund USDT': 945, 'store USDT': 15 });
  chain.outcome = (hash) => landedFor(hash, FEE);
  await pass();
  expect(await scene.read(id)).toMatchObject({ status: 'completed', costCharged: 10n });
  expect(await scene.books()).toEqual({ 'store USDT': 50, 'cost_recovery USDT': 10 });
  expect(await brokenBooks(db)).toEqual([]);
});

it('replaces a payment that no block takes although the balance cannot cover its cost: later payments wait behind its nonce', async () => {
  const scene = await open({ cents: 400 });
  const id = await scene.create('r', 400);
  // The signer signed it after the backup that the database was restored from, so the database knows no cost of it.
  const { signer } = scene.signing;
  const contract = evm.tokens.USDT!.contract;
  const payment = { intentId: id, currency: 'USDT', contract, to: PAYERS.evm, amount: 4_000_000n } as const;
  const draft = await scene.sending.sender.draft(payment, signer.state().wallets.test.evm, { nonce: 0 });
  const to = { network: 'ethereum', address: PAYERS.evm };
  const facts = {
    kind: 'payer',
    session: scene.session_id,
    ...to,
    reference: 'ethereum/0xabc/0',
    mostCents: '400',
  } as const;
  const evidence = makeEvidence(evidenceKey, 'test', facts);
  signer.sign({ order: { ...payment, amount: '4000000', environment: 'test', network: 'ethereum', evidence }, draft });
  const [intent] = signer.journal({ after: 0, limit: 1 }).intents;
  await recoverIntent(scene.context, { intent: intent!, missing: intent!.attempts });
  await scene.pass();
  expect(await scene.read(id)).toMatchObject({ status: 'processing', costBearer: null });
  time.now += 60_000;
  await scene.pass();
  expect((await scene.attempts(id)).map(({ status }) => status)).toEqual(['sent', 'sent']);
  expect(await scene.read(id)).toMatchObject({ hold: null, costBearer: 'operator' });
});

it('leaves the operator’s money to other stores while a refund in another token waits for its store’s balance', async () => {
  const scene = await open({ cents: 1000, currency: 'USDC' });
  const float = { network: 'ethereum', currency: 'USDT', amount: 1000n * 10_000n };
  await transaction(db.pool, (tx) => postFunding(tx, 'test', float));
  const waiting = await scene.create('waiting', 1000, { currency: 'USDT' });
  await scene.pass();
  expect(await scene.read(waiting)).toMatchObject({ hold: 'insufficient_balance', signatureRequestedAt: null });
  const other = await open({ cents: 1100, currency: 'USDC' });
  const id = await other.create('other', 1000, { currency: 'USDT' });
  await other.pass();
  expect(await other.attempts(id)).toMatchObject([{ status: 'sent' }]);
  expect(await other.books()).toEqual({ 'store USDC': 55, 'refund USDC': 45, 'refund USDT': 1000 });
});

it('never charges a cost in a token that the operator does not offer, such as the discontinued USDC of TRON', async () => {
  const config = testConfig({ LIVE_TRON_URLS: 'http://127.0.0.1:1' });
  const context = testContext(db, clock, config);
  const { storeId } = await makeStore(db, config, 'live');
  const paid = { storeId, closedAt: clock.now(), cents: 1000, network: 'tron', environment: 'live' } as const;
  await makePaidSession(db, { ...paid, currency: 'USDC' });
  const session_id = await makePaidSession(db, { ...paid, currency: 'USDT' });
  const side = { storeId, environment: 'live', record: async () => {} } as const;
  const { id } = await createRefundByStore(context, side, refundRequest({ session_id, amount: 1000 }));
  await db.pool.query(`UPDATE refunds SET status = 'processing', sign_after = now() WHERE id = $1`, [id]);
  await db.pool.query(`INSERT INTO coin_prices (coin, price, agreed_at) VALUES ('TRX', '0.3', now())`);
  const spec = networkSpec('live', 'tron', 'local')!;
  const workOf = async (on = context): Promise<RefundWork> => {
    const row = await db.prisma.refund.findUniqueOrThrow({ where: { id } });
    const payment = await rereadPayment<LeasedRefund>(db.pool, { ...row, table: 'refunds' } as unknown as LeasedRefund);
    return { context: on, sending: { environment: 'live', network: 'tron', spec }, payment } as unknown as RefundWork;
  };
  const block = { refBlockBytes: '5313', refBlockHash: '46a60be20a563ff1' };
  const life = { expiration: time.now + 60_000, timestamp: time.now, feeLimit: 10_000_000n };
  const order = { owner: PAYERS.tron, contract: spec.tokens.USDT!.contract, to: PAYERS.tron, amount: 10_000_000n };
  const draft = await writeTronDraft({ ...order, ...block, ...life }, id);
  const reserve = (work: RefundWork) => transaction(db.pool, (tx) => reserveCost(tx, work, draft));
  const isOffered = { ...context, config: { ...config, OFFER_TRON_USDC: true } };
  expect(await reserve(await workOf())).toMatchObject({ code: 'insufficient_balance' });
  expect(await remainingCostHold(await workOf())).toMatchObject({ code: 'insufficient_balance' });
  expect(await remainingCostHold(await workOf(isOffered))).toBeNull();
  expect(await reserve(await workOf(isOffered))).toBeNull();
});
