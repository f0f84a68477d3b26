// A second bookkeeping of what a store may take out of its balance: what its sessions have left, what hits freeze of it, what waits for an
// answer of the screening, and its reserve. It adds up single postings, and shares nothing with the product's rules.

import { assetKey } from '@/simulation/payouts/schedules';
import type { World } from '@/simulation/world';

/** Of one token of a store on a network. */
export type Asset = { readonly storeId: string; readonly network: string; readonly currency: string };

/** Of one session, in base units. `posted`: in quarantine. `waiting`: its part of the balance while a sender has no answer; else 0. */
type SessionFunds = { left: bigint; posted: bigint; own: bigint; isFrozen: boolean; isUnknown: boolean };
export type Funds = { balance: bigint; readonly sessions: Map<string, SessionFunds> };

type PostingRow = {
  readonly account: string;
  readonly network: string;
  readonly currency: string;
  readonly units: string;
  readonly session_id: string | null;
  readonly refunded_session: string | null;
};
type SenderRow = {
  readonly session_id: string;
  readonly network: string;
  readonly verdict: string | null;
  readonly is_released: boolean;
  readonly is_due: boolean;
  /** Unix milliseconds. */
  readonly stored_at: number;
};

/** A transfer whose sender was not screened within this time is from before the screening was switched on. Milliseconds. */
const REQUESTED = 3_600_000;

/** By `assetKey`, of all stores. */
export async function readFunds({ harness, clock, records }: World): Promise<ReadonlyMap<string, Funds>> {
  const { pool } = harness.database;
  const { rows: postings } = await pool.query<PostingRow>(
    `SELECT p.account, p.network, p.currency, (-p.amount)::text AS units, e.session_id, r.session_id AS refunded_session
     FROM ledger_postings p JOIN ledger_entries e ON e.id = p.entry_id LEFT JOIN refunds r ON r.id = e.intent_id
     WHERE split_part(p.account, ':', 1) IN ('store', 'quarantined')`,
  );
  const { rows: senders } = await pool.query<SenderRow>(
    `SELECT t.session_id, t.network, x.verdict, x.released_at IS NOT NULL AS is_released, x.next_at IS NOT NULL AS is_due,
       (extract(epoch FROM t.created_at) * 1000)::float8 AS stored_at
     FROM transfers t LEFT JOIN screenings x ON x.role = 'sender' AND x.network = t.network AND x.address = t.payer
       AND x.transaction_hash = t.transaction_hash`,
  );
  const now = clock.now().getTime();
  const sendersOf = (session: string, network: string): readonly SenderRow[] =>
    senders.filter((one) => one.session_id === session && one.network === network);
  const isFrozen = (one: SenderRow): boolean => one.verdict === 'hit' && !one.is_released;
  const isUnknown = (one: SenderRow): boolean =>
    one.verdict === null ? one.stored_at >= now - REQUESTED : one.verdict === 'unknown' && one.is_due;
  const all = new Map<string, Funds>();
  for (const { account, network, currency, units, ...of } of postings) {
    const [kind, storeId = ''] = account.split(':');
    const key = assetKey({ storeId, network, currency });
    const funds = all.get(key) ?? { balance: 0n, sessions: new Map<string, SessionFunds>() };
    all.set(key, funds);
    const amount = BigInt(units);
    if (kind === 'store') funds.balance += amount;
    const session = of.session_id ?? of.refunded_session;
    if (session === null) continue;
    const known = funds.sessions.get(session) ?? {
      ...{ left: 0n, posted: 0n, own: 0n },
      isFrozen: sendersOf(session, network).some(isFrozen),
      isUnknown: records.stops.isScreening && sendersOf(session, network).some(isUnknown),
    };
    funds.sessions.set(session, known);
    known.left += amount;
    if (kind === 'quarantined') known.posted += amount;
    else if (of.session_id !== null) known.own += amount;
  }
  return all;
}

const above = (amount: bigint, least = 0n): bigint => (amount > least ? amount : least);
const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, one) => total + one, 0n);
const sessionsOf = (funds: Funds | undefined): readonly SessionFunds[] => [...(funds?.sessions.values() ?? [])];

/** What belongs in quarantine of each session and is not there. */
const missing = (one: SessionFunds): bigint => (one.isFrozen ? above(above(one.left) - one.posted) : 0n);
const waiting = (one: SessionFunds): bigint => (one.isUnknown ? above(one.own) : 0n);

/**
 * Base units that payouts may take. A session with a hit and with another sender without an answer may be left out once or twice, so the
 * product's answer is between the two.
 */
export function payableOf(
  funds: Funds | undefined,
  reserve: bigint,
): { readonly least: bigint; readonly most: bigint } {
  const sessions = sessionsOf(funds);
  const balance = (funds?.balance ?? 0n) - reserve;
  const [frozen, unknown] = [sum(sessions.map(missing)), sum(sessions.map(waiting))];
  const either = sum(sessions.map((one) => above(missing(one), waiting(one))));
  return { least: balance - frozen - unknown, most: balance - either };
}

/** What an owner is shown: of the balance, what waits, what is kept for refunds, and what can be paid out; and what is in quarantine. */
export function figuresOf(funds: Funds | undefined, reserve: bigint) {
  const sessions = sessionsOf(funds);
  const free = funds?.balance ?? 0n;
  const least = (one: bigint, other: bigint): bigint => (one < other ? one : other);
  const pending = least(sum(sessions.map(waiting)), free);
  const kept = least(reserve, free - pending);
  return { available: free - pending - kept, pending, kept, quarantined: sum(sessions.map(({ posted }) => posted)) };
}

/**
 * When the worker has quarantined what hits freeze: nothing of a session without a hit, and all of the others, as far as the store still has
 * it. Returns what is wrong.
 */
export function quarantineFaults(all: ReadonlyMap<string, Funds>): string[] {
  return [...all].flatMap(([asset, funds]) => {
    const sessions = sessionsOf(funds);
    const free = sum(sessions.filter(({ isFrozen }) => !isFrozen).map(({ posted }) => posted));
    const posted = sum(sessions.map((one) => one.posted));
    const wanted = sum(sessions.map((one) => (one.isFrozen ? above(one.left) : 0n)));
    const total = above(funds.balance) + posted;
    const expected = wanted < total ? wanted : total;
    return [
      ...(free !== 0n ? [`${free} base units of ${asset} stay in quarantine without a hit`] : []),
      ...(posted !== expected ? [`${posted} base units of ${asset} are in quarantine, and should be ${expected}`] : []),
    ];
  });
}
