// Any sequence of payments, hits, releases, refunds and payouts against a model of the rules that does not read the ledger.

import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { transaction } from '@/lib/platform/database/db';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { CENT, openQuarantineScene, type QuarantineScene } from '@/testing/ledger/quarantine-scene';
import { readShortfalls } from './frozen';
import { checkBooks } from './invariants/check';
import { NO_COSTS, postPaidPayout } from './post-payout';
import { postPaidRefund, releaseRefund, type PostedRefund } from './post-refund';

let db: TestDatabase;
let scene: QuarantineScene;
beforeAll(async () => {
  db = await openTestDatabase();
  scene = await openQuarantineScene(db);
});
afterAll(() => db.close());

const at = fc.nat(3);
const amount = fc.bigInt(100n, 900n);
const command = fc.oneof(
  fc.record({ kind: fc.constantFrom('pay' as const, 'payout' as const), amount }),
  fc.record({ kind: fc.constantFrom('hit' as const, 'release' as const), at }),
  fc.record({ kind: fc.constant('refund' as const), at, amount }),
  fc.record({ kind: fc.constantFrom('refund paid' as const, 'refund canceled' as const), at }),
  fc.record({ kind: fc.constantFrom('payout paid' as const, 'payout canceled' as const), at }),
  fc.record({ kind: fc.constant('step' as const) }),
);
type Command = typeof command extends fc.Arbitrary<infer One> ? One : never;

/** A store and what it should have, in cents. */
class Modelled {
  credited = 0n;
  /** Paid to customers and to the store. */
  gone = 0n;
  /** Taken from the income by payouts. */
  private taken = 0n;
  private readonly sessions: { id: string; left: bigint; isFrozen: boolean }[] = [];
  private readonly refunds: { refund: PostedRefund; session: number; cents: bigint }[] = [];
  private readonly payouts: { id: string; cents: bigint }[] = [];

  constructor(readonly store: Awaited<ReturnType<QuarantineScene['store']>>) {}

  get total(): bigint {
    return this.sessions.reduce((sum, { left }) => sum + left, 0n) - this.taken;
  }
  get frozen(): bigint {
    return this.sessions.reduce((sum, { left, isFrozen }) => sum + (isFrozen ? left : 0n), 0n);
  }
  /** Frozen money that the store does not have any more. */
  get short(): bigint {
    return this.frozen > this.total ? this.frozen - this.total : 0n;
  }
  get inPayout(): bigint {
    return this.payouts.reduce((sum, { cents }) => sum + cents, 0n);
  }

  async run(one: Command): Promise<void> {
    switch (one.kind) {
      case 'pay':
        this.sessions.push({ id: await this.store.pay(one.amount), left: one.amount, isFrozen: false });
        this.credited += one.amount;
        return;
      case 'hit':
      case 'release': {
        const session = this.sessions[one.at];
        if (!session) return;
        await this.store[one.kind](session.id);
        session.isFrozen = one.kind === 'hit';
        return;
      }
      case 'refund':
        return this.refund(one);
      case 'payout':
        return this.payout(one.amount);
      case 'refund paid':
      case 'refund canceled':
        return this.endRefund(one.at, one.kind === 'refund paid');
      case 'payout paid':
      case 'payout canceled':
        return this.endPayout(one.at, one.kind === 'payout paid');
      case 'step':
        return scene.step();
      default:
        return one satisfies never;
    }
  }

  private async refund({ at: place, amount: cents }: { readonly at: number; readonly amount: bigint }): Promise<void> {
    const session = this.sessions[place];
    if (!session || session.left < cents) return;
    const before = this.short;
    const refund = await this.store.refund(session.id, cents);
    if (refund === null) return;
    this.refunds.push({ refund, session: place, cents });
    session.left -= cents;
    expect(this.short).toBeLessThanOrEqual(before);
  }

  private async endRefund(place: number, isPaid: boolean): Promise<void> {
    const [ended] = this.refunds.splice(place, 1);
    if (!ended) return;
    await transaction(db.pool, (tx) => (isPaid ? postPaidRefund : releaseRefund)(tx, ended.refund));
    const session = this.sessions[ended.session];
    if (isPaid) this.gone += ended.cents;
    else if (session) session.left += ended.cents;
  }

  private async payout(cents: bigint): Promise<void> {
    const id = await this.store.payout(cents);
    if (id === null) return;
    this.payouts.push({ id, cents });
    this.taken += cents;
    // It is paid with money that no hit freezes.
    expect(this.short).toBe(0n);
  }

  private async endPayout(place: number, isPaid: boolean): Promise<void> {
    const [ended] = this.payouts.splice(place, 1);
    if (!ended) return;
    if (!isPaid) {
      await this.store.cancelPayout(ended.id);
      this.taken -= ended.cents;
      return;
    }
    const paid = { network: 'ethereum', currency: 'USDT', amount: ended.cents * CENT };
    await transaction(db.pool, (tx) =>
      postPaidPayout(tx, { intentId: ended.id, ...this.store.of, paid, costs: NO_COSTS }),
    );
    this.gone += ended.cents;
  }
}

it('after any sequence the figures add up to what was credited less what left, and frozen money is never paid out', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 3, maxLength: 16 }), async (commands) => {
      const store = await scene.store();
      const model = new Modelled(store);
      await model.run({ kind: 'pay', amount: 500n });
      for (const one of commands) {
        await model.run(one);
        const figures = await store.figures();
        expect(Object.values(figures).reduce((sum, part) => sum + part, 0n)).toBe(model.credited - model.gone);
        expect(figures).toMatchObject({ inPayout: model.inPayout });
      }
      await scene.step();
      const { total, frozen, short } = model;
      const free = short > 0n ? 0n : total - frozen;
      expect(await store.figures()).toMatchObject({ available: free, quarantined: total - free });
      const missing = (await readShortfalls(db.pool, 100)).find(({ storeId }) => storeId === store.storeId);
      expect(missing?.amount ?? 0n).toBe(short * CENT);
      // All that is free can be paid out, and not a cent more.
      expect(await store.payout(free < 100n ? 100n : free + 1n)).toBeNull();
      if (free >= 100n) expect(await store.payout(free)).not.toBeNull();
    }),
    { numRuns: 60 },
  );
  expect((await checkBooks(db.pool)).filter(({ id, count }) => id.startsWith('INV-2') && count > 0)).toEqual([]);
});
