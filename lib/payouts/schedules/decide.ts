// Decides one payout schedule: requests the payout that is due, or stores why there is none. The lock on the schedule, the payout and the
// time of the next decision are one transaction. The name of the payout follows from its period, or from the count of a threshold, so that no
// period is paid twice, also after a database was restored and the signed payout was recovered (lib/refunds/recovery).

import { lockSpendable } from '@/lib/ledger/frozen';
import { auditStore, SYSTEM } from '@/lib/merchants/stores/actor';
import { isStoreOpen } from '@/lib/merchants/stores/store-status';
import { baseUnitsToCents } from '@/lib/money/amounts';
import { networkSpec } from '@/lib/networks/networks';
import type { Context } from '@/lib/platform/context';
import { transaction, type Tx } from '@/lib/platform/database/db';
import type { PayoutInterval, StoreStatus } from '@/prisma/generated/enums';
import { keptOf } from '../hold';
import { mostPayable, type PayoutRate } from '../rates/rate';
import { readRate } from '../rates/read';
import { RefusedPayout, requestPayoutIn } from '../request';
import { periodAt } from './periods';
import { NAME_START, type ScheduleInterval, type ScheduleKey, type ScheduleReason } from './rows';
import { canRunNow } from './run-now';

/** A payout that could not be requested is tried again after this time, in the same period too. */
const RETRY_MILLISECONDS = 600_000;
/** A store that may not act is looked at again after this time. */
const NOT_ACTIVE_MILLISECONDS = 3_600_000;
/** A threshold requests at most one payout in this time. Each costs the operator a fee. */
const THRESHOLD_PAUSE_MILLISECONDS = 3_600_000;

type Deps = Pick<Context, 'pool' | 'clock' | 'config'>;

type Due = ScheduleKey & {
  readonly interval: ScheduleInterval;
  readonly least: bigint;
  readonly count: number;
  /** Whether the last payout that it requested has not ended. */
  readonly isOpen: boolean;
};

type Decision = {
  readonly nextRunAt: Date;
  readonly reason: ScheduleReason | null;
  /** Payout.id of what was requested. */
  readonly payoutId?: string;
  readonly count?: number;
};

/** A no-op while another worker or its owner changes it, and when it is not due any more. */
export async function decideSchedule(deps: Deps, key: ScheduleKey): Promise<void> {
  const now = deps.clock.now();
  await transaction(deps.pool, async (tx) => {
    const due = await lockDue(tx, key, now);
    if (due) await saveDecision(tx, key, await decide(tx, deps, due, now));
  });
}

async function lockDue(tx: Tx, key: ScheduleKey, now: Date): Promise<Due | null> {
  const { storeId, environment, network, currency } = key;
  type Row = Pick<Due, 'count' | 'isOpen'> & { readonly interval: PayoutInterval; readonly least: string };
  const { rows } = await tx.query<Row>({
    name: 'payout-schedule-lock',
    text: `SELECT interval, least, count, EXISTS (SELECT FROM payouts p WHERE p.id = s.last_payout_id
             AND p.status IN ('pending', 'processing')) AS "isOpen"
           FROM payout_schedules s
           WHERE store_id = $1 AND environment = $2::"Environment" AND network = $3 AND currency = $4 AND next_run_at <= $5
           FOR UPDATE OF s SKIP LOCKED`,
    values: [storeId, environment, network, currency, now],
  });
  const [row] = rows;
  if (!row || row.interval === 'manual') return null;
  const { interval, count, isOpen } = row;
  return { ...key, interval, count, isOpen, least: BigInt(row.least) };
}

async function decide(tx: Tx, deps: Deps, due: Due, now: Date): Promise<Decision> {
  const retry = (reason: ScheduleReason, milliseconds = RETRY_MILLISECONDS): Decision => ({
    nextRunAt: new Date(now.getTime() + milliseconds),
    reason,
  });
  if (due.isOpen) return retry('open');
  const available = await lockAvailable(tx, deps, due);
  if (available === 'not_active') return retry(available, NOT_ACTIVE_MILLISECONDS);
  if (available === 'unknown_asset') return retry(available);
  const turn = turnOf(due, { now, isPeriodRepeated: canRunNow(deps.config, due.environment) });
  const payable = available - (await waitingRefunds(tx, due));
  const rate = await readRate(tx, { storeId: due.storeId, environment: due.environment, at: now });
  const amount = mostPayable(rate, { network: due.network, available: payable });
  if (amount < due.least) return { nextRunAt: turn.missed, reason: 'balance' };
  try {
    return {
      ...turn.taken,
      reason: null,
      payoutId: await request(tx, deps, due, { amount, name: turn.name, rate, now }),
    };
  } catch (error) {
    if (!(error instanceof RefusedPayout)) throw error;
    const { code } = error.refusal;
    // A payout has the name already: the period, or this number of the threshold, was paid before.
    if (code === 'conflict') return { ...turn.taken, reason: null };
    if (code === 'no_address' || code === 'too_many') return retry(code);
    if (code === 'direct') return retry('no_address', NOT_ACTIVE_MILLISECONDS);
    throw error;
  }
}

type Turn = {
  /** The requester's name of the payout. */
  readonly name: string;
  /** What is stored when the payout exists. */
  readonly taken: Pick<Decision, 'nextRunAt' | 'count'>;
  /** When the next decision is, if the balance was too small. */
  readonly missed: Date;
};

/** `isPeriodRepeated`: people may run the schedule several times in a period, so payouts are named by their number. */
function turnOf(
  { interval, network, currency, count }: Due,
  { now, isPeriodRepeated }: { readonly now: Date; readonly isPeriodRepeated: boolean },
): Turn {
  const asset = `${network}_${currency.toLowerCase()}`;
  const numbered = `${NAME_START}${count + 1}_${asset}`;
  if (interval === 'threshold') {
    const nextRunAt = new Date(now.getTime() + THRESHOLD_PAUSE_MILLISECONDS);
    return {
      name: numbered,
      taken: { nextRunAt, count: count + 1 },
      missed: new Date(now.getTime() + RETRY_MILLISECONDS),
    };
  }
  const { name, end } = periodAt(interval, now);
  if (isPeriodRepeated) return { name: numbered, taken: { nextRunAt: end, count: count + 1 }, missed: end };
  return { name: `${NAME_START}${name}_${asset}`, taken: { nextRunAt: end }, missed: end };
}

/**
 * Whole cents that the store can pay out. They stay locked, so that no refund takes them before the payout
 * is reserved. The store is locked first, as in every request of a payout.
 */
async function lockAvailable(
  tx: Tx,
  { config, clock }: Deps,
  due: Due,
): Promise<bigint | 'not_active' | 'unknown_asset'> {
  const { storeId, environment, network, currency } = due;
  const token = networkSpec(environment, network, config.TEST_CHAINS)?.tokens[currency];
  if (!token) return 'unknown_asset';
  const { rows } = await tx.query<{ status: StoreStatus; hours: number }>({
    name: 'payout-schedule-lock-store',
    text: 'SELECT status, payout_hold_hours AS hours FROM stores WHERE id = $1 FOR NO KEY UPDATE',
    values: [storeId],
  });
  if (!rows[0] || !isStoreOpen(rows[0].status, environment)) return 'not_active';
  const balances = await lockSpendable(tx, { storeId, environment });
  const own = balances.find((one) => one.network === network && one.currency === currency);
  const scope = { storeId, environment, hours: rows[0].hours, now: clock.now() };
  const kept = await keptOf(tx, config, scope, { network, currency, decimals: token.decimals });
  return baseUnitsToCents((own?.amount ?? 0n) - kept.pending - kept.reserve, token.decimals);
}

/**
 * Cents of the store's refunds on the network that wait for its balance. They come first: the schedule would otherwise take each payment
 * before the worker looks at them again.
 */
async function waitingRefunds(tx: Tx, { storeId, environment, network }: Due): Promise<bigint> {
  const { rows } = await tx.query<{ cents: string }>({
    name: 'payout-schedule-waiting-refunds',
    text: `SELECT coalesce(sum(amount), 0)::text AS cents FROM refunds r
           WHERE store_id = $1 AND environment = $2::"Environment" AND network = $3 AND status IN ('pending', 'processing')
             AND case_id IS NULL AND NOT EXISTS (SELECT FROM ledger_entries e WHERE e.intent_id = r.id AND e.kind = 'refund_reserved')`,
    values: [storeId, environment, network],
  });
  return BigInt(rows[0]?.cents ?? 0);
}

type Wanted = {
  readonly amount: bigint;
  readonly name: string;
  readonly rate: PayoutRate | null;
  readonly now: Date;
};

function request(
  tx: Tx,
  deps: Deps,
  { storeId, environment, network, currency, interval }: Due,
  { amount, name, rate, now }: Wanted,
): Promise<string> {
  const details = { environment, network, currency, amount: String(amount), schedule: interval };
  const record = (recording: Tx, target: string) =>
    auditStore(recording, SYSTEM, { storeId, action: 'payout.request', target, details, now });
  const asked = { payoutId: name, amount, currency, network, description: null };
  return requestPayoutIn(tx, deps, { storeId, environment, record }, asked, { rate });
}

async function saveDecision(
  tx: Tx,
  { storeId, environment, network, currency }: ScheduleKey,
  { nextRunAt, reason, payoutId, count }: Decision,
): Promise<void> {
  await tx.query({
    name: 'payout-schedule-decided',
    text: `UPDATE payout_schedules SET next_run_at = $5, reason = $6, last_payout_id = coalesce($7, last_payout_id),
             count = coalesce($8, count)
           WHERE store_id = $1 AND environment = $2::"Environment" AND network = $3 AND currency = $4`,
    values: [storeId, environment, network, currency, nextRunAt, reason, payoutId ?? null, count ?? null],
  });
}
