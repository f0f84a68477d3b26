// Stores with paid sessions, and hits of the screening on their payers, for tests of quarantined balances.

import { readStoreBalances } from '@/lib/ledger/balances';
import { quarantineFrozen } from '@/lib/ledger/quarantine';
import { reserveRefund } from '@/lib/ledger/post-refund';
import { transaction } from '@/lib/platform/database/db';
import type { TestDatabase } from '@/testing/database/database';
import { makeStore } from '@/testing/fixtures';
import { openPayoutChain } from '@/testing/payouts/payout-chain';
import { openPayoutScene } from '@/testing/payouts/payout-scene';
import { openRefundScene } from '@/testing/refunds/refund-scene';

/** Base units of a cent of USDT on Ethereum. */
export const CENT = 10_000n;

const ASSET = { network: 'ethereum', currency: 'USDT' } as const;

export type QuarantineScene = Awaited<ReturnType<typeof openQuarantineScene>>;

export async function openQuarantineScene(db: TestDatabase) {
  const { clock, chain, sender, spec } = openPayoutChain();
  const refunds = await openRefundScene({ db, clock, spec, sender });
  const payouts = openPayoutScene(refunds);
  let last = 0;

  /** What hits and releases do to the transactions that paid a session. */
  const screen = (sessionId: string, released: Date | null) =>
    db.pool.query(
      `INSERT INTO screenings (environment, network, address, role, transaction_hash, verdict, source, entity, requested_at, checked_at,
         released_at)
       SELECT 'test', network, payer, 'sender', transaction_hash, 'hit', 'list', 'SDN', now(), now(), $2::timestamptz FROM transfers
       WHERE session_id = $1
       ON CONFLICT (environment, network, address, role, transaction_hash) DO UPDATE SET released_at = $2`,
      [sessionId, released],
    );
  const hit = (sessionId: string) => screen(sessionId, null);
  const release = (sessionId: string) => screen(sessionId, new Date());

  /** A store with an address, and its sessions. */
  async function store() {
    const { storeId } = await makeStore(db, refunds.context.config);
    await payouts.address(`0x${'a1'.repeat(20)}`, clock.now(), storeId);
    const of = { storeId, environment: 'test' as const };
    return {
      ...of,
      of,
      pay: (cents: bigint): Promise<string> => refunds.session('USDT', cents, undefined, storeId),
      ...{ hit, release },
      /** Cents of each figure of the Balances page. */
      async figures() {
        const [row] = await readStoreBalances(
          db.pool,
          { ...of, held: { since: null, screened: [], now: new Date() }, reserves: [] },
          () => 6,
        );
        if (!row) throw new Error('the store has no balance');
        const { available, pending, unresolved, reserved, inPayout, quarantined } = row;
        return {
          available: available.cents,
          pending: pending.cents,
          unresolved: unresolved.cents,
          reserved: reserved.cents,
          inPayout: inPayout.cents,
          quarantined: quarantined.cents,
        };
      },
      /** The payout's id; null when the balance does not cover it. */
      async payout(cents: bigint): Promise<string | null> {
        const made = await payouts.tryRequest({ amount: cents }, storeId);
        if ('id' in made) return made.id;
        if (made.refused.code === 'balance') return null;
        throw new Error(`the payout was refused: ${made.refused.code}`);
      },
      cancelPayout: (id: string) => payouts.cancel(id, storeId),
      /** What the ledger reserves for a refund; null when the balance does not cover it. */
      async refund(sessionId: string, cents: bigint) {
        const paid = { ...ASSET, amount: cents * CENT };
        const refund = { intentId: `re_quarantine_${++last}`, ...of, sessionId, paid };
        return (await transaction(db.pool, (tx) => reserveRefund(tx, refund, [paid]))) ? refund : null;
      },
      /** The kinds and cents of the entries of its quarantine, in their order. */
      async entries() {
        const { rows } = await db.pool.query<{ kind: string; cents: string }>(
          `SELECT e.kind, (-p.amount / $2)::bigint::text AS cents FROM ledger_entries e JOIN ledger_postings p ON p.entry_id = e.id
           WHERE p.account = 'quarantined:' || $1 ORDER BY e.id`,
          [storeId, CENT.toString()],
        );
        return rows.map(({ kind, cents }) => `${kind} ${cents}`);
      },
    };
  }

  return {
    ...{ db, clock, chain, refunds, payouts, store, hit, release, context: refunds.context },
    /** The worker's step, until it has nothing to do. */
    async step(): Promise<void> {
      while ((await quarantineFrozen({ pool: db.pool })).more);
    },
  };
}
