// What a hit of the screening freezes leaves its store's balance exactly once, comes back when the hit is released, and is never paid out of
// the pooled wallet: on a real database, with several workers and with runs that did not end.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readFacts } from '@/lib/installation/alarms/facts';
import { transaction } from '@/lib/platform/database/db';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { CENT, openQuarantineScene, type QuarantineScene } from '@/testing/ledger/quarantine-scene';
import { readPlan } from '@/testing/database/read-plan';
import { wholeStatement } from '@/testing/ledger/statement-scene';
import { insertMany } from '@/testing/many-rows';
import { PAID } from '@/testing/refunds/refund-scene';
import { PAYERS } from '@/testing/signer/signer-scene';
import { readShortfalls, storesToQuarantine } from './frozen';
import { readHeld } from './held';
import { checkBooks } from './invariants/check';
import { reserveRefundCost } from './post-cost';
import { NO_COSTS, reservePayout } from './post-payout';
import { readSessionFunds, releaseRefund } from './post-refund';
import { readBooks } from './proofs/books';
import { quarantineFrozen, quarantineOf, unfreezeFor } from './quarantine';

let db: TestDatabase;
let scene: QuarantineScene;
let store: Awaited<ReturnType<QuarantineScene['store']>>;
beforeAll(async () => {
  db = await openTestDatabase();
  scene = await openQuarantineScene(db);
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.pool.query('TRUNCATE screenings');
  await scene.step();
  store = await scene.store();
});

const NONE = { available: 0n, pending: 0n, unresolved: 0n, reserved: 0n, inPayout: 0n, quarantined: 0n };
const broken = async () => (await checkBooks(db.pool)).filter(({ id, count }) => id.startsWith('INV-2') && count > 0);

describe('money with a hit', () => {
  it('is quarantined once by any number of workers, and other money stays available', async () => {
    const [tainted] = [await store.pay(700n), await store.pay(300n)];
    await store.hit(tainted);
    await Promise.all(Array.from({ length: 6 }, () => quarantineFrozen(db)));
    expect(await store.figures()).toEqual({ ...NONE, available: 300n, quarantined: 700n });
    expect(await store.entries()).toEqual(['quarantined 700']);
    await scene.step();
    expect(await store.entries()).toEqual(['quarantined 700']);
    expect(await broken()).toEqual([]);
  });

  it('of many sessions is quarantined in several transactions', async () => {
    const sessions: string[] = [];
    for (let n = 0; n < 201; n++) sessions.push(await store.pay(100n));
    for (const session of sessions) await store.hit(session);
    expect(await quarantineFrozen(db)).toEqual({ more: true });
    expect(await store.figures()).toEqual({ ...NONE, available: 100n, quarantined: 20_000n });
    expect(await store.payout(100n)).toBeNull();
    expect(await quarantineFrozen(db)).toEqual({ more: false });
    expect(await store.figures()).toEqual({ ...NONE, quarantined: 20_100n });
  });

  it('cannot be paid out before it is posted, and a run that is rolled back is made up for', async () => {
    const [tainted] = [await store.pay(700n), await store.pay(300n)];
    await store.hit(tainted);
    expect(await store.payout(301n)).toBeNull();
    const crash = transaction(db.pool, async (tx) => {
      await quarantineOf(tx, store.of);
      throw new Error('crash');
    });
    await expect(crash).rejects.toThrow('crash');
    expect(await store.entries()).toEqual([]);
    expect(await store.payout(301n)).toBeNull();
    expect(await store.payout(300n)).not.toBeNull();
    await scene.step();
    expect(await store.figures()).toEqual({ ...NONE, inPayout: 300n, quarantined: 700n });
    expect(await store.payout(100n)).toBeNull();
  });

  it('of an address with clean money too is frozen with all of it, and so is what the session gets later', async () => {
    const session = await store.pay(700n);
    await store.hit(session);
    await scene.step();
    await db.pool.query(
      `WITH entry AS (INSERT INTO ledger_entries (kind, store_id, environment, session_id) VALUES ('kept', $1, 'test', $2) RETURNING id)
       INSERT INTO ledger_postings (entry_id, account, network, currency, amount)
       SELECT entry.id, line.account, 'ethereum', 'USDT', line.amount
       FROM entry, (VALUES ('received', 500000), ('store:' || $1, -500000)) AS line (account, amount)`,
      [store.storeId, session],
    );
    expect(await store.payout(100n)).toBeNull();
    await scene.step();
    expect(await store.figures()).toEqual({ ...NONE, quarantined: 750n });
    expect(await store.entries()).toEqual(['quarantined 700', 'quarantined 50']);
  });

  it('comes back when the hit is released, once, and is quarantined again by a new hit', async () => {
    const session = await store.pay(700n);
    await store.hit(session);
    await scene.step();
    await store.release(session);
    // The worker has not posted it yet.
    expect(await store.payout(100n)).toBeNull();
    await Promise.all(Array.from({ length: 6 }, () => quarantineFrozen(db)));
    expect(await store.figures()).toEqual({ ...NONE, available: 700n });
    await store.hit(session);
    await scene.step();
    expect(await store.entries()).toEqual(['quarantined 700', 'quarantine_released -700', 'quarantined 700']);
    expect(await broken()).toEqual([]);
  });

  it('that was paid out before is an alarm, is taken from the next payments, and nothing is paid out until then', async () => {
    const tainted = await store.pay(700n);
    const early = (await store.payout(500n)) ?? '';
    await store.hit(tainted);
    await scene.step();
    expect(await store.figures()).toEqual({ ...NONE, inPayout: 500n, quarantined: 200n });
    const asset = { ...store.of, network: 'ethereum', currency: 'USDT' };
    expect(await readShortfalls(db.pool, 10)).toEqual([{ ...asset, amount: 500n * CENT }]);
    const alarms = async () => (await readFacts(scene.context)).facts.filter(({ kind }) => kind === 'screening_short');
    expect(await alarms()).toMatchObject([{ subject: 'test', count: 1 }]);
    await store.pay(400n);
    expect(await store.payout(100n)).toBeNull();
    await scene.step();
    expect(await store.figures()).toEqual({ ...NONE, inPayout: 500n, quarantined: 600n });
    // The payout had not been signed.
    await store.cancelPayout(early);
    await scene.step();
    expect(await store.figures()).toEqual({ ...NONE, available: 400n, quarantined: 700n });
    expect([await readShortfalls(db.pool, 10), await alarms()]).toEqual([[], []]);
  });

  it('holds a payout that had reserved it, and pays the payout when other money covers it', async () => {
    const { payouts, chain } = scene;
    const tainted = await store.pay(700n);
    const id = (await store.payout(500n)) ?? '';
    await store.hit(tainted);
    await payouts.pass();
    expect(await payouts.read(id)).toMatchObject({ status: 'processing', hold: 'screened' });
    await scene.step();
    await payouts.pass();
    expect(await payouts.read(id)).toMatchObject({ hold: 'screened' });
    expect(await payouts.attempts(id)).toEqual([]);
    await store.pay(500n);
    chain.outcome = 'landed';
    expect(await payouts.untilEnded(id)).toMatchObject({ status: 'completed' });
    await scene.step();
    expect(await store.figures()).toEqual({ ...NONE, quarantined: 700n });
  });

  it('pays a payout that was signed before a restore, and what is then missing is an alarm', async () => {
    const tainted = await store.pay(700n);
    const id = (await store.payout(500n)) ?? '';
    // The payout is known to the signer alone, and is recovered after the hit.
    await store.cancelPayout(id);
    await store.hit(tainted);
    await scene.step();
    const paid = { network: 'ethereum', currency: 'USDT', amount: 500n * CENT };
    const signed = { intentId: `${id}_again`, ...store.of, paid, costs: NO_COSTS };
    const reserve = (isSigned: boolean) =>
      transaction(db.pool, async (tx) => {
        if (isSigned) await unfreezeFor(tx, store.of, [paid]);
        return reservePayout(tx, { ...signed, isSigned });
      });
    expect(await reserve(false)).toBe(500n * CENT);
    expect(await reserve(true)).toBe(0n);
    await scene.step();
    expect(await store.figures()).toEqual({ ...NONE, inPayout: 500n, quarantined: 200n });
    expect(await readShortfalls(db.pool, 10)).toMatchObject([{ amount: 500n * CENT }]);
    expect(await store.payout(100n)).toBeNull();
  });

  it('is in statements and proofs to the unit', async () => {
    const [tainted] = [await store.pay(700n), await store.pay(300n)];
    await store.hit(tainted);
    await scene.step();
    const period = { from: new Date(0), to: new Date(Date.now() + 86_400_000) } as never;
    const { lines, closing } = await wholeStatement(db.pool, store.of, period);
    const amounts = (part: string, list: readonly { part: string; amount: bigint }[]) =>
      list.filter((one) => one.part === part).map(({ amount }) => amount / CENT);
    expect([amounts('available', closing.balances), amounts('quarantined', closing.balances)]).toEqual([
      [300n],
      [700n],
    ]);
    const last = lines.filter(({ kind }) => kind === 'quarantined');
    expect([amounts('available', last), amounts('quarantined', last)]).toEqual([[-700n], [700n]]);
    // It throws when the parts of the stores are not what the ledger owes.
    const books = await readBooks(scene.context, 'test');
    const debts = books.assets.flatMap((one) => one.debts.filter(({ storeId }) => storeId === store.storeId));
    expect(debts).toMatchObject([{ available: 300n * CENT, unresolved: 700n * CENT, refunds: 0n, payouts: 0n }]);
  });
});

describe('what a refund costs', () => {
  const REFUND = { coin: 'QNT', hundredths: '1', now: new Date() };
  const ASSETS = [{ network: 'ethereum', currency: 'USDT', unitsPerCent: CENT }];
  beforeAll(async () => {
    await db.pool.query(
      `INSERT INTO coin_prices (coin, price, agreed_at) VALUES ('QNT', 1, now()) ON CONFLICT DO NOTHING`,
    );
  });
  const cost = (intentId: string) =>
    transaction(db.pool, (tx) =>
      reserveRefundCost(
        tx,
        { ...store.of, intentId, network: 'ethereum', currency: 'USDT' },
        { ...REFUND, assets: ASSETS },
      ),
    );

  const rowOf = (id: string, sessionId: string) =>
    db.pool.query(
      `INSERT INTO refunds (id, store_id, environment, refund_id, session_id, order_id, status, amount, currency, network, request_hash, day,
         created_at, sign_after)
       VALUES ($1, $2, 'test', $1, $3, 'o', 'pending', 400, 'USDT', 'ethereum', '', '2026-01-01', now(), now())`,
      [id, store.storeId, sessionId],
    );

  it('is paid by the money of its session, so that a hit misses nothing afterwards', async () => {
    const session = await store.pay(700n);
    const { intentId } = (await store.refund(session, 400n)) ?? expect.fail('no refund');
    await rowOf(intentId, session);
    expect(await cost(intentId)).toEqual({ kind: 'reserved' });
    await store.hit(session);
    await scene.step();
    expect(await store.figures()).toMatchObject({ available: 0n, quarantined: 299n });
    expect(await readShortfalls(db.pool, 10)).toEqual([]);
    expect(await broken()).toEqual([]);
  });

  it('is not paid by money of another session that a hit freezes, neither before nor after it is posted', async () => {
    const [tainted, clean] = [await store.pay(700n), await store.pay(100n)];
    expect(await store.refund(clean, 100n)).not.toBeNull();
    await store.hit(tainted);
    expect(await cost('re_any')).toEqual({ kind: 'short', quoted: 1n, missing: 1n });
    await scene.step();
    expect(await cost('re_any')).toEqual({ kind: 'short', quoted: 1n, missing: 1n });
    expect(await store.figures()).toMatchObject({ available: 0n, quarantined: 700n });
  });
});

describe('the quarantine', () => {
  it('that ends adds nothing to what is too young for a payout', async () => {
    const session = await store.pay(700n);
    const { rows } = await db.pool.query<{ since: Date }>(`SELECT clock_timestamp() AS since`);
    const unscreened = { screened: [], now: new Date() };
    const held = () => readHeld(db.pool, { ...store.of, ...unscreened, since: rows[0]!.since });
    await store.hit(session);
    await scene.step();
    expect(await held()).toEqual([]);
    await store.release(session);
    await scene.step();
    expect(await held()).toEqual([]);
    const young = { ...store.of, ...unscreened, since: new Date(0) };
    expect(await readHeld(db.pool, young)).toMatchObject([{ amount: 700n * CENT }]);
    await store.hit(session);
    await scene.step();
    expect(await readHeld(db.pool, young)).toEqual([]);
  });

  it('of one store that cannot be written delays no other, however many fail', async () => {
    const stores = [await scene.store(), await scene.store(), await scene.store()].toSorted((one, other) =>
      one.storeId < other.storeId ? -1 : 1,
    );
    for (const one of stores) await one.hit(await one.pay(100n));
    const first = await storesToQuarantine(db.pool, { after: undefined, limit: 1 });
    const next = await storesToQuarantine(db.pool, { after: first[0], limit: 10 });
    expect([...first, ...next].map(({ storeId }) => storeId)).toEqual(stores.map(({ storeId }) => storeId));
  });

  it('is looked up without reading the ledger of stores that have no hit', async () => {
    await store.hit(await store.pay(700n));
    await scene.step();
    await insertMany(
      db.pool,
      20_000,
      (numbers) => `
      WITH entry AS (INSERT INTO ledger_entries (kind, store_id, environment, intent_id)
        SELECT 'funding', '', 'test', 'many_' || n FROM ${numbers} RETURNING id)
      INSERT INTO ledger_postings (entry_id, account, network, currency, amount)
      SELECT id, line.account, 'ethereum', 'USDT', line.amount
      FROM entry, (VALUES ('refund_wallet', 1), ('operator', -1)) AS line (account, amount)`,
      [],
    );
    await db.pool.query('ANALYZE ledger_entries, ledger_postings, ledger_balances, transfers, screenings');
    const statements: { text: string; values: unknown[] }[] = [];
    const recorder = { query: async (statement: never) => ({ rows: statements.push(statement) && [] }) };
    await readShortfalls(recorder as never, 10);
    await storesToQuarantine(recorder as never, { after: undefined, limit: 10 });
    for (const statement of statements) expect((await readPlan(db.pool, statement)).rowsRead).toBeLessThan(1000);
    expect(statements).toHaveLength(2);
  });
});

describe('a refund', () => {
  it('of a session with a hit takes its quarantined money, and gives it back there when it is canceled', async () => {
    const session = await store.pay(700n);
    await store.hit(session);
    await scene.step();
    const funds = async () =>
      (await transaction(db.pool, (tx) => readSessionFunds(tx, { ...store, sessionId: session }))).map(
        ({ amount }) => amount,
      );
    expect(await funds()).toEqual([700n * CENT]);
    const refund = await store.refund(session, 600n);
    expect(await store.figures()).toEqual({ ...NONE, reserved: 600n, quarantined: 100n });
    expect(await funds()).toEqual([100n * CENT]);
    await transaction(db.pool, (tx) => releaseRefund(tx, refund!));
    expect(await store.figures()).toEqual({ ...NONE, quarantined: 700n });
    expect(await store.refund(session, 701n)).toBeNull();
    await scene.step();
    expect(await broken()).toEqual([]);
  });

  it('of a session with a hit is held as before, and is paid after the release', async () => {
    const { refunds, payouts, chain } = scene;
    const session = await refunds.session();
    await scene.hit(session);
    await scene.step();
    const id = await refunds.refund({ sessionId: session, cents: 600n, to: PAYERS.evm });
    await payouts.pass();
    expect(await refunds.read(id)).toMatchObject({ status: 'processing', hold: 'screened' });
    await scene.release(session);
    await scene.step();
    chain.outcome = 'landed';
    for (let pass = 0; pass < 20 && (await refunds.read(id)).status === 'processing'; pass++) await payouts.pass();
    expect(await refunds.read(id)).toMatchObject({ status: 'completed' });
    expect(await payouts.balance('store')).toBe((PAID - 600n) * CENT);
    expect(await broken()).toEqual([]);
  });

  it('that was reserved before the hit goes to the quarantine when it is canceled', async () => {
    const session = await store.pay(700n);
    const refund = await store.refund(session, 600n);
    await store.hit(session);
    await scene.step();
    expect(await store.figures()).toEqual({ ...NONE, reserved: 600n, quarantined: 100n });
    await transaction(db.pool, (tx) => releaseRefund(tx, refund!));
    expect(await store.payout(100n)).toBeNull();
    await scene.step();
    expect(await store.figures()).toEqual({ ...NONE, quarantined: 700n });
  });

  it('of another session takes nothing of it, neither before nor after it is posted', async () => {
    const [tainted, clean] = [await store.pay(700n), await store.pay(300n)];
    await store.payout(200n);
    await store.hit(tainted);
    expect(await store.refund(clean, 101n)).toBeNull();
    await scene.step();
    expect(await store.refund(clean, 101n)).toBeNull();
    expect(await store.refund(clean, 100n)).not.toBeNull();
  });
});
