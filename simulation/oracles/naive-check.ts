// Compares every session of a history with the naive implementation: its facts are replayed one transaction after the other, and
// what follows must be what the product stored.

import { blockTimeMargin } from '@/lib/networks/networks';
import type { Pool } from '@/lib/platform/database/db';
import type { Story } from '@/simulation/story';
import type { World } from '@/simulation/world';
import { NaiveSession, shownCents } from './naive';
import { readNaiveFacts, type NaiveFacts } from './naive-facts';
import { NaiveLedger, type NaiveRefund } from './naive-ledger';
import type { Amount, Asset, NaiveTransfer, Reading } from './naive-types';

/** A session as its merchant asked for it. */
type AskedSession = { readonly id: string; readonly dueCents: bigint; readonly expiresAt: number };
type Stored = NaiveFacts['sessions'][number];
type Replayed = {
  readonly stored: Stored;
  readonly session: NaiveSession;
  readonly ledger: NaiveLedger;
  /** Moves of the product that do not follow. */
  readonly faults: readonly string[];
};

/** The differences in the database of a history. */
export async function findNaiveDifferences(pool: Pool, world: World, story: Story): Promise<string[]> {
  // A restore writes all rows in one transaction, so their order is gone.
  if (world.isRestored) return [];
  const { sessions, chains } = world;
  const decimalsOf = ({ network, currency }: Asset): number =>
    chains.find((one) => one.network === network)!.spec.tokens[currency]!.decimals;
  const name = (id: string): string => story.name('session', id);
  return naiveDifferences(await readNaiveFacts(pool), { asked: sessions, decimalsOf, name });
}

/** One sentence for each difference. `name`: what the story calls a session. */
export function naiveDifferences(
  facts: NaiveFacts,
  { asked, decimalsOf, name }: Replaying & { readonly name: (id: string) => string },
): string[] {
  const replayed = asked.flatMap((one) => {
    const stored = facts.sessions.find(({ id }) => id === one.id);
    return stored ? [replay(facts, stored, one, decimalsOf)] : [];
  });
  return [
    ...replayed.flatMap((one) => one.faults.map((fault) => `${name(one.stored.id)} ${fault}`)),
    ...replayed.flatMap((one) => sessionDifferences(facts, one, name(one.stored.id))),
    ...balanceDifferences(facts, replayed, decimalsOf),
  ];
}

type Replaying = {
  readonly asked: readonly AskedSession[];
  readonly decimalsOf: (asset: Asset) => number;
};

/** Everything was read past every expiry, or no session is over yet. */
const reading = (isOver: boolean): Reading => ({
  ...{ now: isOver ? Number.MAX_SAFE_INTEGER : 0, readThrough: {}, unconfirmed: [], holdSeconds: 0 },
});

function replay(all: NaiveFacts, stored: Stored, asked: AskedSession, decimalsOf: Replaying['decimalsOf']): Replayed {
  const pairs = stored.pairs.map((pair) => {
    const [network = '', currency = ''] = pair.split('-');
    return { network, currency };
  });
  const session = new NaiveSession({ ...asked, pairs, createdAt: stored.created_at, marginOf: blockTimeMargin });
  const ledger = new NaiveLedger(session, decimalsOf);
  const own = <T extends { readonly session_id: string }>(rows: readonly T[]): readonly T[] =>
    rows.filter((row) => row.session_id === stored.id);
  const [moves, found] = [own(all.moves), own(all.found)];
  const [decisions, returns] = [own(all.decisions), own(all.returns)];
  const numbers = new Set([...moves, ...found, ...decisions, ...returns].map(({ tx }) => tx));
  const faults = [...numbers]
    .toSorted((one, other) => one - other)
    .flatMap((number) => {
      const isOf = ({ tx }: { readonly tx: number }): boolean => tx === number;
      for (const one of returns.filter(isOf)) applyReturn(session, ledger, one);
      const refused = decisions.filter(isOf).flatMap((one) => applyDecision(session, one));
      return [...refused, ...applyMove(session, found.filter(isOf), moves.find(isOf))];
    });
  ledger.refunds.push(...own(all.refunds).map(refundOf));
  return { stored, session, ledger, faults };
}

function applyReturn(
  session: NaiveSession,
  ledger: NaiveLedger,
  { status, transfer_id: transferId, cents }: NaiveFacts['returns'][number],
): void {
  const row = session.rows.find(({ transfer }) => transfer.id === transferId);
  if (status === 'completed') ledger.returned.push({ transferId, cents: BigInt(cents) });
  else if (row) row.isReturning = false;
}

function applyDecision(session: NaiveSession, { transfer_id: id, action }: NaiveFacts['decisions'][number]): string[] {
  const isKnown = session.rows.some(({ transfer }) => transfer.id === id);
  const outcome = isKnown ? session.decide(id, action) : 'about an unknown payment';
  return outcome === 'done' ? [] : [`took the decision "${action}", which is ${outcome}`];
}

/** A transaction without a move leaves the status as it is. */
function applyMove(
  session: NaiveSession,
  found: readonly NaiveFacts['found'][number][],
  move: NaiveFacts['moves'][number] | undefined,
): string[] {
  const expected = move?.to ?? session.status;
  session.find(found.map(transferOf));
  if (move?.to === 'canceled') session.cancel({ now: move.at, unconfirmed: [] });
  else session.settle(reading(expected === 'expired' || expected === 'failed'));
  return session.status === expected ? [] : [`became ${expected}, and should be ${session.status}`];
}

const transferOf = (row: NaiveFacts['found'][number]): NaiveTransfer => ({
  ...{ id: row.id, network: row.network, currency: row.currency, decimals: row.decimals, hash: row.hash },
  ...{ amount: BigInt(row.amount), blockTime: row.block_time, ordinal: row.ordinal },
});

const STATES: Readonly<Record<string, NaiveRefund['state']>> = {
  completed: 'paid',
  failed: 'released',
  canceled: 'released',
};

const refundOf = ({ id, cents, network, currency, status, is_converted, takes }: NaiveFacts['refunds'][number]) => ({
  ...{ id, cents: BigInt(cents), paid: { network, currency } },
  takes: takes.map((one): Amount => ({ ...one, amount: BigInt(one.amount) })),
  state: STATES[status] ?? (is_converted ? 'converted' : 'reserved'),
});

function sessionDifferences(facts: NaiveFacts, { stored, session }: Replayed, name: string): string[] {
  const kept = new Map(facts.exceptions.map((one) => [one.transfer_id, one]));
  const values: [string, unknown, unknown][] = [
    ['is', stored.status, session.status],
    ['has received, in cents,', BigInt(stored.received), shownCents(session.receivedCents())],
    ['has the exception', stored.exception, session.exception()],
    ...session.rows.flatMap(({ transfer, kind, state }): [string, unknown, unknown][] => [
      [`calls its payment ${transfer.hash}`, kept.get(transfer.id)?.kind ?? null, kind],
      [`has decided its payment ${transfer.hash} as`, kept.get(transfer.id)?.state ?? null, state],
    ]),
  ];
  return values
    .filter(([, real, expected]) => real !== expected)
    .map(([what, real, expected]) => `${name} ${what} ${String(real)}, and not ${String(expected)}`);
}

/** The accounts of every store, with all of its sessions together. */
function balanceDifferences(
  { balances, payouts }: NaiveFacts,
  replayed: readonly Replayed[],
  decimalsOf: Replaying['decimalsOf'],
): string[] {
  const expected = payoutBalances(payouts, decimalsOf);
  for (const { stored, ledger } of replayed) {
    for (const [account, amount] of ledger.balances()) {
      const [kind = '', asset = ''] = account.split(' ');
      if (!['store', 'unresolved', 'refund'].includes(kind)) continue;
      const key = `${kind}:${stored.store_id} ${asset}`;
      expected.set(key, (expected.get(key) ?? 0n) + amount);
    }
  }
  const real = new Map<string, bigint>();
  for (const { account, network, currency, amount } of balances) {
    // What a hit freezes stays the store's (stops/funds.ts says how much that is).
    const key = `${account.replace(/^quarantined:/, 'store:')} ${network}-${currency}`;
    real.set(key, (real.get(key) ?? 0n) + BigInt(amount));
  }
  return [...new Set([...real.keys(), ...expected.keys()])]
    .filter((key) => (real.get(key) ?? 0n) !== (expected.get(key) ?? 0n))
    .map((key) => `the balance of ${key} is ${real.get(key) ?? 0n}, and should be ${expected.get(key) ?? 0n}`);
}

/** What payouts take of their stores' balances, and what is reserved for those that are under way. */
function payoutBalances(payouts: NaiveFacts['payouts'], decimalsOf: Replaying['decimalsOf']): Map<string, bigint> {
  const all = new Map<string, bigint>();
  for (const { store_id: store, cents, network, currency, status } of payouts) {
    if (status === 'failed' || status === 'canceled') continue;
    const units = BigInt(cents) * 10n ** BigInt(decimalsOf({ network, currency }) - 2);
    const add = (kind: string, amount: bigint): void => {
      const key = `${kind}:${store} ${network}-${currency}`;
      all.set(key, (all.get(key) ?? 0n) + amount);
    };
    add('store', -units);
    if (status !== 'completed') add('payout', units);
  }
  return all;
}
