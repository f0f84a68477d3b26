// What a hit of the screening freezes leaves its store's balance exactly once, comes back when the hit is released, and is never paid out of
// the pooled wallet: on a real database, with several workers and with runs that did not end.

import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readFacts } from '@/lib/installation/alarms/facts';
import { transaction } from '@/lib/platform/database/db';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { CENT, openQuarantineScene, type QuarantineScene } from '@/testing/ledger/quarantine-scene';
import { wholeStatement } from '@/testing/ledger/statement-scene';
import { PAID } from '@/testing/refunds/refund-scene';
import { PAYERS } from '@/testing/signer/signer-scene';
import { readShortfalls } from './frozen';
import { checkBooks } from './invariants/check';
import { NO_COSTS, postPaidPayout, reservePayout } from './post-payout';
import { postPaidRefund, readSessionFunds, releaseRefund, type PostedRefund } from './post-refund';
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
    const alarms = async () => (await readFacts(scene.context)).filter(({ kind }) => kind === 'screening_short');
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

/** What the store would have by the rules, in cents, kept by other means than the ledger. */
class Model {
  readonly sessions: { id: string; left: bigint; isFrozen: boolean }[] = [];
  readonly refunds: { refund: PostedRefund; session: number; cents: bigint }[] = [];
  readonly payouts: { id: string; cents: bigint }[] = [];
  /** In payouts that are open, and what has left for ever. */
  open = 0n;
  gone = 0n;
  credited = 0n;
  /** Of the sessions, and what payouts have taken from it. */
  taken = 0n;

  get total(): bigint {
    return this.sessions.reduce((sum, { left }) => sum + left, 0n) - this.taken;
  }
  get frozen(): bigint {
    return this.sessions.reduce((sum, { left, isFrozen }) => sum + (isFrozen ? left : 0n), 0n);
  }
  get short(): bigint {
    return this.frozen > this.total ? this.frozen - this.total : 0n;
  }
}

describe('after any sequence of payments, hits, releases, refunds and payouts', () => {
  const at = fc.nat(3);
  const cents = fc.bigInt(100n, 900n);
  const command = fc.oneof(
    fc.record({ kind: fc.constant('pay' as const), cents }),
    fc.record({ kind: fc.constantFrom('hit' as const, 'release' as const), at }),
    fc.record({ kind: fc.constant('refund' as const), at, cents }),
    fc.record({ kind: fc.constant('payout' as const), cents }),
    fc.record({
      kind: fc.constantFrom('refund paid', 'refund canceled', 'payout paid', 'payout canceled'),
      at,
    }),
    fc.record({ kind: fc.constant('step' as const) }),
  );
  type Command = typeof command extends fc.Arbitrary<infer One> ? One : never;

  async function run(one: Command, model: Model, of: typeof store): Promise<void> {
    if ('cents' in one && one.kind === 'pay') {
      model.sessions.push({ id: await of.pay(one.cents), left: one.cents, isFrozen: false });
      model.credited += one.cents;
      return;
    }
    if (one.kind === 'step') return scene.step();
    const before = model.short;
    if ('cents' in one && one.kind === 'payout') {
      const id = await of.payout(one.cents);
      if (id === null) return;
      model.payouts.push({ id, cents: one.cents });
      model.taken += one.cents;
      model.open += one.cents;
      // It was paid with money that no hit freezes.
      expect(model.short).toBe(0n);
      return;
    }
    if (!('at' in one)) return;
    const session = model.sessions[one.at];
    if (one.kind === 'hit' || one.kind === 'release') {
      if (!session) return;
      await of[one.kind](session.id);
      session.isFrozen = one.kind === 'hit';
    } else if ('cents' in one) {
      if (!session || session.left < one.cents) return;
      const refund = await of.refund(session.id, one.cents);
      if (refund === null) return;
      model.refunds.push({ refund, session: one.at, cents: one.cents });
      session.left -= one.cents;
      expect(model.short).toBeLessThanOrEqual(before);
    } else if (one.kind.startsWith('refund')) {
      const [ended] = model.refunds.splice(one.at, 1);
      if (!ended) return;
      const isPaid = one.kind === 'refund paid';
      await transaction(db.pool, (tx) => (isPaid ? postPaidRefund : releaseRefund)(tx, ended.refund));
      if (isPaid) model.gone += ended.cents;
      else model.sessions[ended.session]!.left += ended.cents;
    } else {
      const [ended] = model.payouts.splice(one.at, 1);
      if (!ended) return;
      model.open -= ended.cents;
      if (one.kind === 'payout canceled') {
        await of.cancelPayout(ended.id);
        model.taken -= ended.cents;
        return;
      }
      const paid = { network: 'ethereum', currency: 'USDT', amount: ended.cents * CENT };
      const payout = { intentId: ended.id, ...of.of, paid, costs: NO_COSTS };
      await transaction(db.pool, (tx) => postPaidPayout(tx, payout));
      model.gone += ended.cents;
    }
  }

  it('the figures add up to what was credited less what left, and what is frozen is never paid out', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 3, maxLength: 16 }), async (commands) => {
        const of = await scene.store();
        const model = new Model();
        await run({ kind: 'pay', cents: 500n }, model, of);
        for (const one of commands) {
          await run(one, model, of);
          const figures = await of.figures();
          expect(Object.values(figures).reduce((sum, cents) => sum + cents, 0n)).toBe(model.credited - model.gone);
          expect(figures).toMatchObject({ inPayout: model.open });
        }
        await scene.step();
        const { total, frozen, short } = model;
        const free = short > 0n ? 0n : total - frozen;
        expect(await of.figures()).toMatchObject({ available: free, quarantined: total - free });
        const missing = (await readShortfalls(db.pool, 100)).find(({ storeId }) => storeId === of.storeId);
        expect(missing?.amount ?? 0n).toBe(short * CENT);
        // All that is free can be paid out, and not a cent more.
        if (free >= 100n) {
          expect(await of.payout(free + 1n)).toBeNull();
          expect(await of.payout(free)).not.toBeNull();
        } else expect(await of.payout(100n)).toBeNull();
      }),
      { numRuns: 60 },
    );
    expect(await broken()).toEqual([]);
  });
});
