// Ends a sweep: which addresses it moved, which not and why, and when those may be tried again. What moved is booked elsewhere, from the
// facts of the chain (lib/ledger/reconciliation/outflows).

import type { Context } from '@/lib/platform/context';
import { transaction } from '@/lib/platform/database/db';
import type { FinalReport, SweepRun } from './context';
import { setSkip } from './postpone';
import { SKIPS, type SkipReason } from './reasons';
import type { Sweep, SweepStatus } from './rows';

type Result = {
  readonly address: string;
  readonly moved: bigint;
  readonly reason: SkipReason | 'empty' | 'lapsed' | (typeof PREPARED)[keyof typeof PREPARED] | null;
};

/** What a transaction did for its addresses that moves none of their money. */
const PREPARED = {
  activate: 'activated',
  top_up: 'topped_up',
  delegate: 'energy_lent',
  undelegate: 'energy_returned',
} as const;

/** Seconds until an address is tried again, with fewer others, if another one of its transaction may be the cause. */
const SHARED_PAUSE = 60;

/** The final report of a sweep. */
export async function finishSweep(run: SweepRun, sweep: Sweep, report: FinalReport): Promise<void> {
  const { context, sweeping } = run;
  const status = report.succeeded ? 'final' : 'reverted';
  const items = await itemsOf(context, sweep);
  const results = report.succeeded
    ? await resultsOf(run, sweep, items, report)
    : items.map(({ address }): Result => ({ address, moved: 0n, reason: 'reverted' }));
  const isShared = sweeping.family.isAtomic || (sweep.request.kind === 'flush' && !report.succeeded);
  const pause = isShared && items.length > 1 ? SHARED_PAUSE : null;
  await end(context, sweep, { status, fee: report.fee ?? null, message: null, results, pause });
  const moved = results.filter((one) => one.moved > 0n).length;
  const { environment, network } = sweeping.spec;
  const skipped = results.length - moved;
  const about = { environment, network, kind: sweep.request.kind, hash: report.transactionHash, moved, skipped };
  context.log[report.succeeded ? 'info' : 'error'](about, report.succeeded ? 'a sweep is final' : 'a sweep failed');
}

/** Another transaction of the account took the nonce, as after a restore of the database. Nothing of this sweep can land. */
export const lapseSweep = (context: Context, sweep: Sweep): Promise<void> =>
  endUnmoved(context, sweep, 'lapsed', 'another transaction of the account has its nonce');

/** No node has it and none will: its addresses are free again. */
export const cancelSweep = (context: Context, sweep: Sweep, message: string): Promise<void> =>
  endUnmoved(context, sweep, sweep.bytes === null ? 'canceled' : 'lapsed', message);

/** The nodes do not take it. The reason may lie in its addresses, so others go first. */
export const refuseSweep = (context: Context, sweep: Sweep, message: string): Promise<void> =>
  endUnmoved(context, sweep, 'lapsed', message, 'refused');

async function endUnmoved(
  context: Context,
  sweep: Sweep,
  status: SweepStatus,
  message: string,
  reason: 'lapsed' | 'refused' = 'lapsed',
): Promise<void> {
  const items = await itemsOf(context, sweep);
  const results = items.map(({ address }): Result => ({ address, moved: 0n, reason }));
  await end(context, sweep, { status, fee: null, message, results });
}

type Item = { readonly address: string; readonly amount: bigint };

async function itemsOf({ pool }: Context, { id }: Sweep): Promise<readonly Item[]> {
  const { rows } = await pool.query<{ address: string; amount: string }>({
    name: 'sweep-items',
    text: 'SELECT address, amount::text AS amount FROM sweep_items WHERE sweep_id = $1 ORDER BY address_index',
    values: [id],
  });
  return rows.map(({ address, amount }) => ({ address, amount: BigInt(amount) }));
}

async function resultsOf(
  run: SweepRun,
  { request }: Sweep,
  items: readonly Item[],
  { movements }: FinalReport,
): Promise<readonly Result[]> {
  const addresses = items.map(({ address }) => address);
  if (run.sweeping.family.isAtomic)
    return items.map(({ address, amount }): Result => ({ address, moved: amount, reason: null }));
  if (!('contract' in request)) {
    const reason = request.kind === 'deploy' ? null : PREPARED[request.kind];
    return addresses.map((address): Result => ({ address, moved: 0n, reason }));
  }
  const moved = new Map<string, bigint>();
  for (const { contract, recipient, payer, amount } of movements)
    if (contract === request.contract && recipient === run.wallets.treasury)
      moved.set(payer, (moved.get(payer) ?? 0n) + amount);
  const left = addresses.filter((address) => !moved.has(address));
  const reasons = left.length === 0 ? [] : await run.sweeping.family.skipReasons(run, left, request.contract);
  const unread = left.filter((_, at) => reasons[at] === null);
  if (unread.length > 0) {
    const { environment, network } = run.sweeping.spec;
    const message = 'no endpoint can answer about deposit addresses that a sweep did not move';
    run.context.log.warn({ environment, network, addresses: unread }, message);
  }
  // An address that cannot be read must not keep the sweep open: it would hold back all others.
  const reasonOf = new Map(left.map((address, at) => [address, reasons[at] ?? 'refused'] as const));
  return addresses.map((address) => ({
    address,
    moved: moved.get(address) ?? 0n,
    reason: reasonOf.get(address) ?? null,
  }));
}

type End = {
  readonly status: SweepStatus;
  readonly fee: bigint | null;
  readonly message: string | null;
  readonly results: readonly Result[];
  /** Seconds until the addresses that were not moved are tried again; by their number of tries if absent or null. */
  readonly pause?: number | null;
};

async function end(
  { pool, clock }: Context,
  sweep: Sweep,
  { status, fee, message, results, pause = null }: End,
): Promise<void> {
  const now = clock.now();
  await transaction(pool, async (tx) => {
    const { rowCount } = await tx.query({
      name: 'sweep-end',
      text: 'UPDATE sweeps SET status = $2, fee = $3, message = $4, ended_at = $5 WHERE id = $1 AND ended_at IS NULL',
      values: [sweep.id, status, fee?.toString() ?? null, message, now],
    });
    if (rowCount === 0 || results.length === 0) return;
    await tx.query({
      name: 'sweep-items-end',
      text: `WITH result AS (SELECT * FROM unnest($2::text[], $3::numeric[], $4::text[]) AS r (address, moved, reason)),
               ended AS (UPDATE sweep_items i SET moved = r.moved, reason = r.reason, ended_at = $5 FROM result r
                 WHERE i.sweep_id = $1 AND i.address = r.address RETURNING i.chain_id, i.address, i.currency, i.reason)
             UPDATE deposit_balances d SET ${setSkip('e.reason', '$5', '$7::int')}
             FROM ended e WHERE (d.chain_id, d.address, d.currency) = (e.chain_id, e.address, e.currency) AND e.reason = ANY($6)`,
      values: [
        sweep.id,
        results.map(({ address }) => address),
        results.map(({ moved }) => moved.toString()),
        results.map(({ reason }) => reason),
        now,
        SKIPS,
        pause,
      ],
    });
  });
}
