import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SqlState, sqlState, transaction, violatedConstraint, type Tx } from '@/lib/platform/database/db';
import { newStoreId } from '@/lib/platform/ids';
import { centsToBaseUnits } from '@/lib/money/amounts';
import { openTestDatabase, type TestDatabase } from '@/testing/database/database';
import { readRefundWallet, readStoreBalances, readWalletBalances } from './balances';
import { postMoves, postTransfers, type MoveKind, type PostedTransfer } from './post';
import {
  postConversion,
  postFunding,
  postPaidRefund,
  releaseRefund,
  reserveRefund,
  type PostedRefund,
} from './post-refund';
import type { DecimalsOf } from './sources';

let db: TestDatabase;
beforeAll(async () => void (db = await openTestDatabase(20)));
afterAll(() => db.close());

const decimalsOf: DecimalsOf = ({ network }) => (network === 'bsc' ? 18 : 6);
const units = (network: string, cents: number): bigint =>
  centsToBaseUnits(BigInt(cents), decimalsOf({ network, currency: 'USDT' }));
let lastId = 0;
const transferOf = (storeId: string, network: string, cents: number, currency = 'USDT'): PostedTransfer => ({
  transferId: String(++lastId),
  storeId,
  environment: 'test',
  sessionId: `cs_${lastId}`,
  network,
  currency,
  amount: units(network, cents),
});
/** Whole for the store, or unresolved. */
const posted = (transfer: PostedTransfer, counts = true) => ({ ...transfer, toStore: counts ? transfer.amount : 0n });
const settle = (transfer: PostedTransfer, counts: boolean) =>
  transaction(db.pool, (tx) => postTransfers(tx, [posted(transfer, counts)]));
const reserve = (tx: Tx, refund: PostedRefund) => reserveRefund(tx, refund, [refund.paid]);
const refundOf = (storeId: string, network: string, cents: number, currency = 'USDT'): PostedRefund => ({
  intentId: `re_${++lastId}`,
  storeId,
  environment: 'test',
  sessionId: `cs_${lastId}`,
  paid: { network, currency, amount: units(network, cents) },
});
const storeBalances = (storeId: string) =>
  readStoreBalances(
    db.pool,
    { storeId, environment: 'test', held: { since: null, screened: [], now: new Date() }, reserves: [] },
    decimalsOf,
  );

/** Accounts whose stored balance differs from the sum of their postings, and negative liabilities. */
async function wrongBalances(): Promise<unknown[]> {
  const { rows } = await db.pool.query(
    `WITH sums AS (SELECT e.environment, p.account, p.network, p.currency, sum(p.amount) AS amount
         FROM ledger_postings p JOIN ledger_entries e ON e.id = p.entry_id GROUP BY 1, 2, 3, 4)
     SELECT account, b.amount AS kept, s.amount AS posted FROM sums s
       FULL JOIN ledger_balances b USING (environment, account, network, currency)
     WHERE b.amount IS DISTINCT FROM s.amount OR (b.amount > 0 AND account ~ '^(store|refund|unresolved):')`,
  );
  return rows;
}

/** Without a retry, so that a deadlock fails the test. */
function once<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  let tries = 0;
  return transaction(db.pool, (tx) => {
    if (++tries > 1) throw new Error('it lost a deadlock');
    return work(tx);
  });
}

describe('balances', () => {
  it('show the available, unresolved and reserved amounts of a store, per token and network', async () => {
    const storeId = newStoreId();
    await settle(transferOf(storeId, 'ethereum', 10_00), true);
    await settle({ ...transferOf(storeId, 'bsc', 0), amount: 5_009_999_999_999_999_999n }, true);
    await settle(transferOf(storeId, 'ethereum', 3_00, 'USDC'), false);
    const refund = refundOf(storeId, 'ethereum', 4_00);
    expect(await transaction(db.pool, (tx) => reserve(tx, refund))).toBe(true);
    const none = { baseUnits: 0n, cents: 0n };
    const rest = {
      pending: none,
      unchecked: none,
      kept: none,
      unresolved: none,
      reserved: none,
      inPayout: none,
      quarantined: none,
    };
    const usd = (cents: bigint) => ({ baseUnits: cents * 10_000n, cents });
    expect(await storeBalances(storeId)).toEqual([
      {
        network: 'bsc',
        currency: 'USDT',
        // A fraction of a cent is held but not counted as a cent.
        available: { baseUnits: 5_009_999_999_999_999_999n, cents: 500n },
        ...rest,
      },
      { network: 'ethereum', currency: 'USDC', ...rest, available: none, unresolved: usd(3_00n) },
      { network: 'ethereum', currency: 'USDT', ...rest, available: usd(6_00n), reserved: usd(4_00n) },
    ]);
    expect(
      await readStoreBalances(
        db.pool,
        { storeId, environment: 'live', held: { since: null, screened: [], now: new Date() }, reserves: [] },
        decimalsOf,
      ),
    ).toEqual([]);
  });

  it('of the operator have equal assets and liabilities, to the unit', async () => {
    const storeId = newStoreId();
    await settle(transferOf(storeId, 'tron', 50_00), true);
    const refund = refundOf(storeId, 'tron', 20_00);
    await transaction(db.pool, async (tx) => {
      await postFunding(tx, 'test', { network: 'tron', currency: 'USDT', amount: units('tron', 100_00) });
      await reserve(tx, refund);
      await postPaidRefund(tx, refund);
    });
    const found = (await readWalletBalances(db.pool, 'test', decimalsOf)).find(({ network }) => network === 'tron')!;
    expect(found.received.cents).toBe(50_00n);
    expect(found.refundWallet.cents).toBe(80_00n);
    expect(found.available.cents).toBe(30_00n);
    expect(found.operator.cents).toBe(100_00n);
    const held = found.received.baseUnits + found.refundWallet.baseUnits;
    const owed = [found.available, found.unresolved, found.reserved, found.operator];
    expect(held).toBe(owed.reduce((sum, { baseUnits }) => sum + baseUnits, 0n));
    const asset = { environment: 'test', network: 'tron', currency: 'USDT' } as const;
    expect(await readRefundWallet(db.pool, asset)).toBe(units('tron', 80_00));
    expect(await readRefundWallet(db.pool, { ...asset, environment: 'live' })).toBe(0n);
  });

  it('are the sums of their postings after any sequence of entries, and no liability is ever negative', async () => {
    const network = fc.constantFrom('ethereum', 'bsc', 'tron');
    const cents = fc.integer({ min: 1, max: 500 });
    const move = fc.constantFrom<MoveKind>('counted', 'kept', 'refund_owed');
    const command = fc.oneof(
      fc.record({ kind: fc.constant('settle' as const), network, cents, counts: fc.boolean() }),
      fc.record({ kind: fc.constant('move' as const), network, cents, move }),
      fc.record({ kind: fc.constant('convert' as const), network, which: fc.nat(5) }),
      fc.record({ kind: fc.constant('reserve' as const), network, cents }),
      fc.record({ kind: fc.constantFrom('release' as const, 'paid' as const), which: fc.nat(5) }),
      fc.record({ kind: fc.constant('fund' as const), network, cents: fc.integer({ min: -500, max: 500 }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 15 }), async (commands) => {
        const storeId = newStoreId();
        const reserved: PostedRefund[] = [];
        for (const one of commands) {
          const work = async (tx: Tx): Promise<void> => {
            switch (one.kind) {
              case 'settle':
                return postTransfers(tx, [posted(transferOf(storeId, one.network, one.cents), one.counts)]);
              case 'move':
                return postMoves(tx, [{ ...transferOf(storeId, one.network, one.cents), kind: one.move }]);
              case 'convert': {
                const refund = reserved[one.which];
                if (!refund) return;
                const paid = { ...refund.paid, network: one.network };
                return void (await postConversion(tx, { ...refund, paid }, [refund.paid]));
              }
              case 'reserve': {
                const refund = refundOf(storeId, one.network, one.cents);
                if (await reserve(tx, refund)) reserved.push(refund);
                return;
              }
              case 'release':
              case 'paid': {
                const refund = reserved[one.which];
                if (!refund) return;
                return one.kind === 'paid' ? postPaidRefund(tx, refund) : releaseRefund(tx, refund);
              }
              case 'fund':
                return postFunding(tx, 'test', { ...one, currency: 'USDT', amount: units('tron', one.cents) });
            }
          };
          // Only the database refuses what would overdraw an account or happen to a refund twice.
          await transaction(db.pool, work).catch((error: unknown) => {
            const refusal =
              sqlState(error) === SqlState.uniqueViolation || violatedConstraint(error) === 'ledger_balances_owed';
            if (!refusal) throw error;
          });
        }
      }),
      { numRuns: 40 },
    );
    expect(await wrongBalances()).toEqual([]);
  });

  it('cannot be overdrawn: the database rolls back the whole transaction', async () => {
    const storeId = newStoreId();
    await settle(transferOf(storeId, 'ethereum', 10_00), false);
    const move = { ...transferOf(storeId, 'ethereum', 10_01), kind: 'refund_owed' } as const;
    const overdrawn = transaction(db.pool, async (tx) => {
      await postTransfers(tx, [posted(transferOf(storeId, 'tron', 1_00))]);
      await postMoves(tx, [move]);
    });
    await expect(overdrawn).rejects.toMatchObject({ constraint: 'ledger_balances_owed' });
    expect((await storeBalances(storeId)).map(({ network, unresolved }) => [network, unresolved.cents])).toEqual([
      ['ethereum', 10_00n],
    ]);
    // The whole balance may be used.
    await transaction(db.pool, (tx) => postMoves(tx, [{ ...move, amount: units('ethereum', 10_00) }]));
    expect((await storeBalances(storeId))[0]).toMatchObject({ unresolved: { cents: 0n }, reserved: { cents: 10_00n } });
  });

  it('are not overdrawn by parallel reservations, and none of them deadlocks', async () => {
    const storeId = newStoreId();
    await settle(transferOf(storeId, 'ethereum', 100_00), true);
    await settle(transferOf(storeId, 'bsc', 100_00), true);
    const NETWORKS = ['ethereum', 'bsc'] as const;
    const oneOf = async (n: number): Promise<number> => {
      const refund = refundOf(storeId, NETWORKS[n % 2]!, 7_00);
      if (!(await once((tx) => reserve(tx, refund)))) return 0;
      // Every fourth one is released at once, in the middle of the others.
      if (n % 4 !== 0) return 7_00;
      await once((tx) => releaseRefund(tx, refund));
      return 0;
    };
    const arrive = (n: number) =>
      once((tx) => postTransfers(tx, [posted(transferOf(storeId, n % 2 ? 'bsc' : 'tron', 1))]));
    const [taken] = await Promise.all([
      Promise.all(Array.from({ length: 60 }, (_, n) => oneOf(n))),
      Promise.all(Array.from({ length: 20 }, (_, n) => arrive(n))),
    ]);
    let reserved = BigInt(taken.reduce((sum, one) => sum + one, 0));
    expect(reserved).toBeLessThanOrEqual(28n * 7_00n);
    // Amounts released by others can be reserved now, and no more than that.
    for (const network of NETWORKS)
      while (await once((tx) => reserve(tx, refundOf(storeId, network, 7_00)))) reserved += 7_00n;
    expect(reserved).toBe(28n * 7_00n);
    const balances = await storeBalances(storeId);
    const sum = (of: 'available' | 'reserved') => balances.reduce((all, one) => all + one[of].cents, 0n);
    expect(sum('reserved')).toBe(reserved);
    expect(sum('available')).toBe(200_00n + 20n - reserved);
    expect(await wrongBalances()).toEqual([]);
  });

  it('of stores that pay from each other’s networks are created and locked in one order, from the first entry on', async () => {
    for (let round = 0; round < 15; round++) {
      // New networks each time, so that every account is created in the middle of the others.
      const [here, there] = [`here${round}`, `there${round}`];
      const [a, b] = [newStoreId(), newStoreId()];
      await settle(transferOf(a, here, 100_00), true);
      await settle(transferOf(b, there, 100_00), true);
      for (const [store, network] of [
        [a, here],
        [b, there],
      ] as const)
        await settle(transferOf(store, network, 1_00), false);
      const refund = async (n: number): Promise<void> => {
        const one = n % 2 === 0 ? refundOf(a, there, 1_00) : refundOf(b, here, 1_00);
        const taken = { ...one.paid, network: n % 2 === 0 ? here : there };
        expect(await once((tx) => reserveRefund(tx, one, [taken]))).toBe(true);
        await once((tx) => postConversion(tx, one, [taken]));
        await once((tx) => (n % 4 < 2 ? releaseRefund(tx, one) : postPaidRefund(tx, one)));
      };
      const arrive = (n: number): Promise<void> => {
        const all = [a, b].flatMap((store) => [here, there].map((network) => transferOf(store, network, 1)));
        const inTurn = n % 2 === 0 ? all : all.toReversed();
        return once((tx) =>
          postTransfers(
            tx,
            inTurn.map((one, at) => posted(one, at % 3 !== 0)),
          ),
        );
      };
      const owe = (n: number): Promise<void> => {
        const one = n % 2 === 0 ? transferOf(a, here, 1) : transferOf(b, there, 1);
        return once((tx) => postMoves(tx, [{ ...one, kind: 'refund_owed' }]));
      };
      const fund = (n: number): Promise<void> =>
        once((tx) => postFunding(tx, 'test', { network: n % 2 ? here : there, currency: 'USDT', amount: 5n }));
      await Promise.all([refund, arrive, owe, fund].flatMap((work) => Array.from({ length: 8 }, (_, n) => work(n))));
    }
    expect(await wrongBalances()).toEqual([]);
  });
});
