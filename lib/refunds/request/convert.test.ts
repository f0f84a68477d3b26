// A refund in a token or network other than that of its money is an explicit conversion: the operator's money pays at par, and only while
// both pegs hold. A real database and the real signer; the chain is simulated.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { writeEvmDraft } from '@/lib/networks/families/evm/sending/write-draft';
import { SendHold, type ChainSender, type AttemptOutcome } from '@/lib/networks/sending/send';
import { networkSpec } from '@/lib/networks/networks';
import { transaction } from '@/lib/platform/database/db';
import { postFunding } from '@/lib/ledger/post-refund';
import { checkBooks } from '@/lib/ledger/invariants/check';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { makeStore, testConfig, testContext } from '@/testing/fixtures';
import { makePaidSession } from '@/testing/payments/paid-session';
import { makeRates } from '@/testing/rates';
import { openRefundScene } from '@/testing/refunds/refund-scene';
import { refundRequest } from '@/testing/refunds/refund-caller';
import { Refusal } from '@/lib/signer/client';
import { makeEvidence } from '@/lib/signer/attestations/refund-evidence';
import { evidenceKey, localSpec, PAYERS } from '@/testing/signer/signer-scene';
import { cancelRefundByStore, createRefundByStore } from './by-store';
import { conversionHold } from './convert';
import { recoverIntent } from '@/lib/refunds/recovery/write';
import type { RefundWork } from '@/lib/refunds/sending/sending-context';

const GWEI = 10n ** 9n;
const evm = localSpec('ethereum');
/** Like the local chain, except that its tokens have a market price. */
const priced = { ...evm, chain: 'testnet' as const };
const time = { now: Date.parse('2026-11-21T12:00:00Z') };
const clock = { now: () => new Date(time.now) };
const chain = { outcome: { kind: 'waiting' } as AttemptOutcome, obstacle: null as Error | null };
const sender: ChainSender = {
  async draft({ intentId, contract, to, amount }, from, { nonce = 0 } = {}) {
    if (chain.obstacle) throw chain.obstacle;
    const fees = { maxPriorityFeePerGas: GWEI, maxFeePerGas: GWEI, gasLimit: 90_000n };
    return writeEvmDraft({ chainId: evm.chainId ?? 0, nonce, ...fees, contract, to, amount }, { intentId, from });
  },
  nextNonce: async () => 0,
  finalNonce: async () => 0,
  broadcast: async () => 'accepted',
  outcome: async () => chain.outcome,
  kindOf: async () => 'wallet',
};

let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase()));
afterAll(() => db.close());
beforeEach(() => {
  // Prices are cached for a second, so each test has its own time.
  time.now += 3_600_000;
  Object.assign(chain, { outcome: { kind: 'waiting' }, obstacle: null });
});

/** A store with a session over 10.00 that was paid in USDC, and helpers for its refunds. */
async function open() {
  await db.pool.query('TRUNCATE rate_observations, rate_sources');
  const settings = { RATE_SOURCES: 'coinbase er-api' };
  const scene = await openRefundScene({ db, clock, spec: evm, sender, settings });
  const { context, storeId } = scene;
  const session_id = await scene.session('USDC', 1000n);
  const side = { storeId, environment: 'test' as const, record: async () => {} };
  return {
    ...scene,
    session_id,
    async refund(currency: string, amount = 400) {
      const { id } = await createRefundByStore(
        context,
        side,
        refundRequest({ session_id, amount, currency, refund_id: `r-${currency}-${amount}` }),
      );
      scene.destinations.set(id, PAYERS.evm);
      return id;
    },
    cancel: (currency: string, amount = 400) => cancelRefundByStore(context, side, `r-${currency}-${amount}`),
    fund: (cents: number) =>
      transaction(db.pool, (tx) =>
        postFunding(tx, 'test', { network: 'ethereum', currency: 'USDT', amount: BigInt(cents) * 10_000n }),
      ),
    /** Cents by account and token; for the operator, the change since now. */
    async books() {
      const { rows } = await db.pool.query<{ name: string; cents: number }>(
        `SELECT split_part(account, ':', 1) || ' ' || currency AS name, (-amount / 10000)::int AS cents FROM ledger_balances
         WHERE (account LIKE '%:' || $1 OR account = 'operator') AND amount <> 0`,
        [storeId],
      );
      return Object.fromEntries(rows.map(({ name, cents }) => [name, cents]));
    },
  };
}

/** The tests of this file share the operator's accounts: each begins with empty ones. */
const emptyOperator = async (): Promise<void> => {
  const { rows } = await db.pool.query<{ network: string; currency: string; amount: string }>(
    `SELECT network, currency, amount FROM ledger_balances WHERE account = 'operator' AND amount <> 0`,
  );
  await transaction(db.pool, async (tx) => {
    for (const { amount, ...asset } of rows) await postFunding(tx, 'test', { ...asset, amount: BigInt(amount) });
  });
};
beforeEach(emptyOperator);

describe('a refund in the token that was paid', () => {
  it('is paid from what arrived, and needs neither prices nor the operator’s money', async () => {
    const scene = await open();
    const id = await scene.refund('USDC');
    await scene.pass({ spec: priced });
    expect(String((await scene.read(id)).hold)).not.toMatch(/peg|float/);
    await scene.pass();
    expect(await scene.attempts(id)).toMatchObject([{ status: 'sent' }]);
    expect(await scene.books()).toEqual({ 'store USDC': 600, 'refund USDC': 400 });
  });
});

describe('a refund in the other token', () => {
  it('takes the store’s claim in the token that was paid, and is on hold while the operator has too little of the other', async () => {
    const scene = await open();
    await scene.session('USDT', 5000n);
    const id = await scene.refund('USDT');
    await scene.fund(399);
    await scene.pass();
    expect(await scene.read(id)).toMatchObject({ status: 'processing', hold: 'no_float', signatureRequestedAt: null });
    // Never from other money of the store, although there is enough.
    const held = { 'store USDC': 600, 'store USDT': 5000, 'refund USDC': 400, 'operator USDT': 399 };
    expect(await scene.books()).toEqual(held);
    await scene.fund(1);
    time.now += 5000;
    await scene.pass();
    expect(await scene.attempts(id)).toMatchObject([{ status: 'sent' }]);
    expect(await scene.books()).toEqual({
      'store USDC': 600,
      'store USDT': 5000,
      'refund USDT': 400,
      'operator USDC': 400,
    });
    const [attempt] = await scene.attempts(id);
    chain.outcome = {
      kind: 'landed',
      hash: attempt?.hash ?? '',
      block: { number: 60, hash: '0xb', parentHash: '0xa', time: 0 },
    };
    time.now += 5000;
    await scene.pass();
    expect(await scene.read(id)).toMatchObject({ status: 'completed', currency: 'USDT', amount: 400n });
    expect(await scene.books()).toEqual({ 'store USDC': 600, 'store USDT': 5000, 'operator USDC': 400 });
    const broken = (await checkBooks(db.pool)).filter(({ count }) => count > 0);
    expect(broken.filter(({ id: of }) => /^INV-(2|3c)/.test(of))).toEqual([]);
  });

  it.each(['no_tokens', 'fee_too_high'] as const)(
    'takes none of the operator’s money while it is held with %s',
    async (code) => {
      const scene = await open();
      const id = await scene.refund('USDT');
      await scene.fund(400);
      chain.obstacle = new SendHold(code, 'it cannot be drafted');
      await scene.pass();
      expect(await scene.read(id)).toMatchObject({ hold: code, signatureRequestedAt: null });
      expect(await scene.books()).toEqual({ 'store USDC': 600, 'refund USDC': 400, 'operator USDT': 400 });
    },
  );

  it('is put on hold when another refund takes the operator’s money while it is drafted', async () => {
    const scene = await open();
    const id = await scene.refund('USDT');
    await scene.fund(400);
    const draft: typeof sender.draft = async (...given) => (await scene.fund(-1), sender.draft(...given));
    await scene.pass({ sender: { ...sender, draft } });
    expect(await scene.read(id)).toMatchObject({ hold: 'no_float', signatureRequestedAt: null });
    expect(await scene.attempts(id)).toEqual([]);
    expect(await scene.books()).toEqual({ 'store USDC': 600, 'refund USDC': 400, 'operator USDT': 399 });
  });

  it('that the signer refused after its conversion releases everything in the original token when it is canceled', async () => {
    const scene = await open();
    const id = await scene.refund('USDT');
    await scene.fund(400);
    const sign = () => Promise.reject(new Refusal('limit', 'the hour’s limit is reached'));
    await scene.pass({ signer: { ...scene.sending.signer!, calls: { ...scene.signing.calls, sign } } });
    expect(await scene.read(id)).toMatchObject({ hold: 'limit', signatureRequestedAt: null });
    expect(await scene.books()).toMatchObject({ 'refund USDT': 400, 'operator USDC': 400 });
    await scene.cancel('USDT');
    expect(await scene.books()).toEqual({ 'store USDC': 1000, 'operator USDT': 400 });
  });

  it('is converted when it is recovered, if it was signed after the backup from which the database was restored', async () => {
    const scene = await open();
    const id = await scene.refund('USDT');
    // The database has it as it was created: reserved in USDC. The signer has signed it in USDT.
    const { signer } = scene.signing;
    const contract = evm.tokens.USDT!.contract;
    const payment = { intentId: id, currency: 'USDT', contract, to: PAYERS.evm, amount: 4_000_000n } as const;
    const draft = await sender.draft(payment, signer.state().wallets.test.evm, { nonce: 0 });
    const bound = { kind: 'payer', session: scene.session_id, network: 'ethereum', address: PAYERS.evm } as const;
    const evidence = makeEvidence(evidenceKey, 'test', { ...bound, reference: 'ethereum/0xabc/0', mostCents: '1000' });
    const order = { ...payment, amount: '4000000', environment: 'test', network: 'ethereum', evidence } as const;
    signer.sign({ order, draft });
    const [intent] = signer.journal({ after: 0, limit: 1 }).intents;
    if (!intent) throw new Error('the journal is empty');
    expect(await recoverIntent(scene.context, { intent, missing: intent.attempts })).toEqual({ done: 'imported' });
    expect(await scene.books()).toMatchObject({ 'refund USDT': 400, 'operator USDC': 400, 'operator USDT': -400 });
    await scene.pass();
    const [sent] = await scene.attempts(id);
    const block = { number: 60, hash: '0xb', parentHash: '0xa', time: 0 };
    chain.outcome = { kind: 'landed', hash: sent?.hash ?? '', block };
    time.now += 5000;
    await scene.pass();
    expect(await scene.read(id)).toMatchObject({ status: 'completed' });
  });

  it.each([
    ['without prices', null, 'peg_unknown'],
    ['with prices that are too old', { prices: { USDT: '1', USDC: '1' }, age: 61 }, 'peg_unknown'],
    ['with the price of one token only', { prices: { USDT: '1' }, age: 5 }, 'peg_unknown'],
    [
      'with a token six tenths of a percent below a dollar',
      { prices: { USDT: '1', USDC: '1.006' }, age: 5 },
      'peg_broken',
    ],
    [
      'with a token six tenths of a percent above a dollar',
      { prices: { USDT: '0.994', USDC: '1' }, age: 5 },
      'peg_broken',
    ],
  ] as const)('is held %s', async (_, rates, hold) => {
    const scene = await open();
    const id = await scene.refund('USDT');
    await scene.fund(400);
    if (rates) await makeRates(db, clock.now(), rates.prices, rates.age);
    await scene.pass({ spec: priced });
    expect(await scene.read(id)).toMatchObject({ status: 'processing', hold, signatureRequestedAt: null });
    expect(await scene.books()).toEqual({ 'store USDC': 600, 'refund USDC': 400, 'operator USDT': 400 });
  });

  it('is converted while both tokens are within half a percent of a dollar, and waits again once they are not', async () => {
    const scene = await open();
    const id = await scene.refund('USDT');
    await scene.fund(400);
    chain.obstacle = new SendHold('no_tokens', 'the refund wallet holds too little USDT');
    await makeRates(db, clock.now(), { USDT: '1.005', USDC: '0.9951' });
    await scene.pass({ spec: priced });
    expect((await scene.read(id)).hold).toBe('no_tokens');
    time.now += 10_000;
    await makeRates(db, clock.now(), { USDT: '1', USDC: '1.1' });
    await scene.pass({ spec: priced });
    expect((await scene.read(id)).hold).toBe('peg_broken');
  });
});

it('never converts a token that the operator does not offer on its network, such as the discontinued USDC of TRON', async () => {
  const config = testConfig({ RATE_SOURCES: 'coinbase er-api', LIVE_TRON_URLS: 'http://127.0.0.1:1' });
  const context = testContext(db, clock, config);
  const { storeId } = await makeStore(db, config, 'live');
  const paid = { storeId, closedAt: clock.now(), cents: 1000, network: 'tron', environment: 'live' } as const;
  await transaction(db.pool, (tx) =>
    postFunding(tx, 'live', { network: 'tron', currency: 'USDT', amount: 10_000_000n }),
  );
  await makeRates(db, clock.now(), { USDT: '1', USDC: '1' });
  const spec = networkSpec('live', 'tron', 'local')!;
  const held = async (currency: string, on = context) => {
    const session_id = await makePaidSession(db, { ...paid, currency: 'USDC' });
    await db.pool.query('UPDATE sessions SET amount_received = amount_due WHERE id = $1', [session_id]);
    const side = { storeId, environment: 'live', record: async () => {} } as const;
    const request = refundRequest({ session_id, amount: 1000, currency, refund_id: session_id });
    const { id } = await createRefundByStore(context, side, request);
    await db.pool.query(`UPDATE refunds SET status = 'processing', sign_after = now() WHERE id = $1`, [id]);
    const row = await db.prisma.refund.findUniqueOrThrow({ where: { id } });
    return conversionHold({ context: on, sending: { spec }, payment: row } as unknown as RefundWork);
  };
  expect(await held('USDT')).toMatchObject({ code: 'not_offered' });
  expect(await held('USDC')).toBeNull();
  const offered = { ...config, OFFER_TRON_USDC: true };
  expect(await held('USDT', { ...context, config: offered })).toBeNull();
});

it.each(['token_paused', 'wallet_blocked'] as const)(
  '%s never ends a refund: it is held, the operator is alarmed, and it is paid once the cause is gone',
  async (reason) => {
    const scene = await open();
    const id = await scene.refund('USDC');
    chain.obstacle = new SendHold(reason, 'the issuer of USDC stands in the way');
    const errors: unknown[] = [];
    const log = { ...scene.context.log, warn: () => {}, error: (about: unknown) => void errors.push(about) };
    for (let days = 0; days < 30; days++) {
      await scene.pass({}, { ...scene.context, log: log as never });
      time.now += 86_400_000;
    }
    expect(await scene.read(id)).toMatchObject({ status: 'processing', hold: reason });
    expect(errors).toMatchObject([{ refundId: id, hold: reason }]);
    chain.obstacle = null;
    await scene.pass();
    expect(await scene.attempts(id)).toMatchObject([{ status: 'sent' }]);
  },
);
