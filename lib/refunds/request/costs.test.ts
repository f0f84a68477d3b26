// The network cost of refunds that their store pays: quoted and reserved before anything is signed, charged once when the refund is final.
// A real database, ledger and signer; the chain's responses are scripted.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { coinStep } from '@/lib/ledger/coin/step';
import { SendHold } from '@/lib/networks/sending/send';
import { Refusal } from '@/lib/signer/client';
import { brokenBooks, FEE, landedFor, QUOTE, useCostScenes } from '@/testing/watching/cost-scene';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';

let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
const { time, chain, setPrice, open } = useCostScenes(() => db);

/** Wei by account of coins that the ledger has of an attempt. */
async function coinsOf(attempt: bigint): Promise<Record<string, bigint>> {
  const { rows } = await db.pool.query<{ account: string; amount: string }>(
    `SELECT p.account, p.amount::text AS amount FROM ledger_entries e JOIN ledger_postings p ON p.entry_id = e.id
     WHERE e.coin_source = 'attempt:' || $1 AND p.currency = 'ETH'`,
    [attempt],
  );
  return Object.fromEntries(rows.map(({ account, amount }) => [account, BigInt(amount)]));
}

it('reserves the most that a refund may cost before it is signed, charges what it cost, and releases the rest', async () => {
  const scene = await open();
  const id = await scene.create('r', 400);
  await scene.pass();
  expect(await scene.attempts(id)).toMatchObject([{ status: 'sent' }]);
  expect(await scene.read(id)).toMatchObject({ costBearer: 'store', costQuoted: QUOTE, costCharged: null });
  expect(await scene.books()).toEqual({ 'store USDT': 555, 'refund USDT': 445 });
  chain.outcome = (hash) => landedFor(hash, FEE);
  await scene.pass();
  expect(await scene.read(id)).toMatchObject({ status: 'completed', costCharged: 10n });
  expect((await scene.attempts(id)).map(({ status, fee }) => [status, fee?.toFixed()])).toEqual([['landed', `${FEE}`]]);
  expect(await scene.books()).toEqual({ 'store USDT': 590, 'cost_recovery USDT': 10 });
  await coinStep(scene.context);
  const attempt = (await scene.attempts(id))[0] ?? expect.fail('no attempt');
  const wallet = (attempt.draft as { from: string }).from.toLowerCase();
  expect(await coinsOf(attempt.id)).toEqual({ 'expense:network_fee': FEE, [`fee_coin:${wallet}`]: -FEE });
  expect(await brokenBooks(db)).toEqual([]);
});

it('never charges more than the quote, and rounds a fraction of a cent up', async () => {
  const scene = await open();
  await scene.create('dear', 100);
  await scene.pass();
  chain.outcome = (hash) => landedFor(hash, 100n * FEE);
  await scene.pass();
  expect(await scene.books()).toEqual({ 'store USDT': 855, 'cost_recovery USDT': 45 });
  chain.outcome = null;
  await scene.create('cheap', 100);
  await scene.pass();
  chain.outcome = (hash) => landedFor(hash, 1n);
  await scene.pass();
  expect(await scene.books()).toEqual({ 'store USDT': 754, 'cost_recovery USDT': 46 });
});

it('charges nothing when no endpoint reports what the network took', async () => {
  const scene = await open();
  const id = await scene.create('r', 400);
  await scene.pass();
  chain.outcome = (hash) => landedFor(hash);
  await scene.pass();
  expect(await scene.read(id)).toMatchObject({ status: 'completed', costCharged: 0n });
  expect(await scene.books()).toEqual({ 'store USDT': 600 });
});

it('charges a final transaction that moved nothing, and releases everything else', async () => {
  const scene = await open();
  const id = await scene.create('r', 400);
  await scene.pass();
  chain.outcome = (hash) => ({ kind: 'reverted', hash, reason: 'the issuer blocked it', fee: FEE });
  await scene.pass();
  expect(await scene.read(id)).toMatchObject({ status: 'failed', costCharged: 10n });
  expect(await scene.books()).toEqual({ 'store USDT': 990, 'cost_recovery USDT': 10 });
  expect(await brokenBooks(db)).toEqual([]);
});

it('releases the reserved cost when the signer refused and the merchant cancels', async () => {
  const scene = await open();
  const id = await scene.create('r', 400);
  const { calls } = scene.signing;
  const refusing = { ...calls, sign: () => Promise.reject(new Refusal('limit', 'the hour’s limit is reached')) };
  await scene.pass({
    signer: { calls: refusing, evidenceKey: scene.sending.signer?.evidenceKey ?? [new Uint8Array()] },
  });
  expect(await scene.read(id)).toMatchObject({ hold: 'limit', signatureRequestedAt: null, costQuoted: QUOTE });
  await scene.cancel('r');
  expect(await scene.read(id)).toMatchObject({ status: 'canceled', costCharged: 0n });
  expect(await scene.books()).toEqual({ 'store USDT': 1000 });
  expect(await brokenBooks(db)).toEqual([]);
});

it('lets the operator pay the cost of a coin that never had a price, records that, and uses an old price otherwise', async () => {
  await setPrice(null);
  const scene = await open();
  const id = await scene.create('unpriced', 400);
  await scene.pass();
  expect(await scene.attempts(id)).toMatchObject([{ status: 'sent' }]);
  expect(await scene.read(id)).toMatchObject({ costBearer: 'operator_no_price', costQuoted: null });
  chain.outcome = (hash) => landedFor(hash, FEE);
  await scene.pass();
  expect(await scene.read(id)).toMatchObject({ status: 'completed', costCharged: null });
  expect(await scene.books()).toEqual({ 'store USDT': 600 });
  await setPrice('1000');
  chain.outcome = null;
  const priced = await scene.create('priced', 100);
  await scene.pass();
  expect(await scene.read(priced)).toMatchObject({ costBearer: 'store', costQuoted: 18n });
});

it('charges nothing where the operator pays the costs', async () => {
  const scene = await open({ cents: 400, bearer: 'operator' });
  const id = await scene.create('r', 400);
  await scene.pass();
  chain.outcome = (hash) => landedFor(hash, FEE);
  await scene.pass();
  expect(await scene.read(id)).toMatchObject({ status: 'completed', costBearer: 'operator', costCharged: null });
  expect(await scene.books()).toEqual({});
});

it('keeps the first quote when a replacement or a later draft costs more', async () => {
  const scene = await open();
  const id = await scene.create('r', 400);
  await scene.pass();
  time.now += 30_000;
  await scene.pass({}, scene.context);
  expect((await scene.attempts(id)).length).toBeGreaterThan(1);
  expect(await scene.read(id)).toMatchObject({ costQuoted: QUOTE });
  expect(await scene.books()).toEqual({ 'store USDT': 555, 'refund USDT': 445 });
});

it('quotes again while another obstacle blocks the refund, and reserves nothing meanwhile', async () => {
  const scene = await open();
  const id = await scene.create('r', 400);
  chain.obstacle = new SendHold('no_tokens', 'the refund wallet holds too little USDT');
  await scene.pass();
  expect(await scene.read(id)).toMatchObject({ hold: 'no_tokens', costBearer: null });
  expect(await scene.books()).toEqual({ 'store USDT': 600, 'refund USDT': 400 });
});
