// Proves before a session ends that no payment to it was missed (a step of the worker, one per chain). The balances of
// its deposit address at a final block past its expiry must not exceed what its stored transfers leave there. A discrepancy
// starts a re-scan of the address. If the re-scans do not explain it, it is reported to the operators, and the session
// stays on hold until it no longer exists or is explained (lib/payments/sessions/expire/balance-hold). An unreadable
// balance holds a session for at most EXPIRY_HOLD_SECONDS. Ended sessions are compared once a day (daily.ts).

import type { BalanceReader, CheckedBalance } from '@/lib/networks/endpoints/balances-reader';
import { ChainError } from '@/lib/networks/chain';
import type { FollowedChain } from '@/lib/networks/registry';
import type { Context, Step } from '@/lib/platform/context';
import { transaction, type Pool } from '@/lib/platform/database/db';
import { inHalves } from '@/lib/platform/database/isolate';
import { eachAlone, endQuarantine, quarantineFailed } from '@/lib/platform/database/quarantine';
import { reportDiscrepancy } from '@/lib/ledger/reconciliation/report-discrepancy';
import { findChainRow, type ChainRow } from '@/lib/payments/watcher/cursors/chain-row';
import { storedSums } from '@/lib/ledger/reconciliation/addresses';
import { isUnreadDust } from '@/lib/ledger/reconciliation/unread-dust';
import { keyOf } from '@/lib/ledger/reconciliation/next-addresses';
import { addDaily } from './daily';
import { checkId, takeDue, type DueCheck } from './due';
import { openProofLimiter } from './proof-limiter';
import { rescanNext } from './rescan';
import { clearChecks, storeFirstReading, markProven, startRescan, type FirstSurplus, type RescanOutcome } from './rows';

/**
 * `reader` reads for completeness, so it also works while an endpoint is down. Throws a ChainError while the endpoints'
 * budgets refuse proofs, so that operators see it among the failing steps. Sessions wait for at most
 * EXPIRY_HOLD_SECONDS.
 */
export function balanceStep(chain: FollowedChain, reader: BalanceReader): Step {
  const limiter = openProofLimiter(reader.most);
  return async (context) => {
    const { pool, clock } = context;
    const row = await findChainRow(pool, chain.environment, chain.network);
    if (!row) return { more: false };
    await clearChecks(pool, row.id, clock.now());
    await addDaily(pool, { chain, chainId: row.id, now: clock.now() });
    const hasRead = await rescanNext(context, chain, row);
    const most = limiter.most(clock.now());
    if (most === 0) {
      const shortage = limiter.shortage();
      if (shortage && !hasRead) throw shortage;
      return { more: hasRead };
    }
    const due = await takeDue(pool, { chain, chainId: row.id, most, now: clock.now() });
    if (due.length === 0) return { more: hasRead };
    const error = await compare(context, { chain, row, reader, due });
    limiter.note(error, clock.now());
    return { more: hasRead || (error === null && due.length === most) };
  };
}

type Comparing = {
  readonly chain: FollowedChain;
  readonly row: ChainRow;
  readonly reader: BalanceReader;
  readonly due: readonly DueCheck[];
};

type Reading = CheckedBalance & { readonly address: string; readonly currency: string };

/** Compares the due addresses. Returns why the endpoints could not report their balances, or null. */
async function compare(context: Context, comparing: Comparing): Promise<ChainError | null> {
  const { chain, row, due } = comparing;
  try {
    // The endpoints may serve another chain, as after a restart of a local chain. Its balances say nothing about this
    // one.
    if ((await chain.adapter.genesis()) !== row.genesis) return null;
    const readings = await read(comparing);
    const proven: Subject[] = [];
    const judged = await eachAlone(context, STEP, due.map(subjectOf(comparing)), async (one) => {
      if (await isProven(context, comparing, one, readings)) proven.push(one);
    });
    const marked = await inHalves(proven, (some) =>
      markProven(
        context.pool,
        row.id,
        some.map(({ sessionId }) => sessionId),
      ),
    );
    await quarantineFailed({ ...context, db: context.pool }, STEP, marked.failed, (one) => one);
    const failed = new Set(marked.failed.map(({ item }) => item));
    const ids = judged.filter((one) => !failed.has(one)).map(({ id }) => id);
    await endQuarantine(context.pool, { kind: 'address', ids, now: context.clock.now() });
    return null;
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    const about = { environment: chain.environment, network: chain.network, sessions: due.length };
    context.log.warn(about, `sessions wait for the balances of their addresses: ${error.message}`);
    return error;
  }
}

const STEP = 'compare the balances of sessions';

/**
 * The session is on hold: its address holds more than was stored, and the re-scans do not explain it. The quarantine
 * mails the operators and retries.
 */
class UnexplainedBalance extends Error {}

/** A session that is on hold, or whose comparison cannot be written, is in quarantine and does not end meanwhile. */
const subjectOf =
  ({ row, chain }: Comparing) =>
  (one: DueCheck) =>
    ({ ...one, kind: 'address', id: checkId(row.id, one.sessionId), network: chain.network }) as const;
type Subject = ReturnType<ReturnType<typeof subjectOf>>;

async function read({ chain, reader, due }: Comparing): Promise<Map<string, Reading>> {
  const found = new Map<string, Reading>();
  for (const currency of Object.keys(chain.spec.tokens)) {
    const holdings = due.filter(({ currencies }) => currencies.includes(currency)).map(({ address }) => ({ address }));
    if (holdings.length === 0) continue;
    for (const [address, held] of await reader.tokens(holdings, currency)) {
      found.set(keyOf({ address, currency }), { ...held, address, currency });
    }
  }
  return found;
}

/**
 * Whether the stored transfers of each compared token explain the balance of the address. Otherwise starts a re-scan or
 * reports.
 */
async function isProven(
  context: Context,
  { chain, row }: Comparing,
  { sessionId, address, expiresAt, currencies, readThreshold }: DueCheck,
  readings: ReadonlyMap<string, Reading>,
): Promise<boolean> {
  const own = currencies.map((currency) => readings.get(keyOf({ address, currency })));
  const held = own.filter((one) => one !== undefined);
  // A block before the expiry proves nothing: a lagging node reports an old balance.
  if (held.length < own.length || held.some(({ from }) => from.time < expiresAt)) return false;
  const sums = await storedSums(context.pool, stored(row.id), new Map(held.map((one) => [keyOf(one), one])));
  // A balance below the stored transfers is not a missed payment. The comparison with the ledger reports it
  // (lib/ledger/reconciliation/addresses).
  const surplusOf = (one: Reading): bigint => one.amount - (sums.get(keyOf(one))?.most ?? 0n);
  const wrong = held.filter((one) => surplusOf(one) > 0n);
  const surpluses = wrong.map((one) => ({ currency: one.currency, amount: surplusOf(one) }));
  if (wrong.length === 0 || isUnreadDust(chain, surpluses, readThreshold)) return true;
  const newest = Math.max(...held.map(({ through }) => through.number));
  const surplus = wrong.map(({ currency, amount, through }) => ({
    ...{ currency, amount: String(amount) },
    through: through.number,
  }));
  const goal = await reachedGoal(context, row, { sessionId, address, newest, surplus });
  if (goal === null || goal === 'explained') return goal === 'explained';
  const isHeld = await transaction(context.pool, async (tx) => {
    const now = context.clock.now();
    const { state, failure } = await startRescan(tx, {
      ...{ chainId: row.id, sessionId, goal, now },
      isDisputed: wrong.every((one) => one.disputedBy),
    });
    if (state === 'rescan') return false;
    for (const { currency, amount, disputedBy } of wrong) {
      const { environment, network } = chain;
      const expected = sums.get(keyOf({ address, currency }))?.most ?? 0n;
      await reportDiscrepancy(tx, {
        ...{ chainId: row.id, address, currency, environment, network, expected, found: amount, now },
        note: reasonOf({ state, failure, disputedBy }),
      });
      const amounts = { expected: String(expected), found: String(amount) };
      context.log.error(
        { environment, network, currency, address, session: sessionId, failure, ...amounts },
        'a deposit address holds a different amount than its stored transfers, also after re-scans',
      );
    }
    return state === 'differs';
  });
  const amounts = wrong.map(({ amount, currency }) => `${amount} base units of ${currency}`).join(' and ');
  if (isHeld) throw new UnexplainedBalance(`${address} holds ${amounts}, more than was stored. ${HELD}`);
  return false;
}

const HELD =
  'The session does not expire until the balance equals the stored transfers or an operator explains the difference.';

function reasonOf({
  state,
  failure,
  disputedBy,
}: RescanOutcome & { readonly disputedBy: CheckedBalance['disputedBy'] | undefined }): string {
  const reasons = [
    state === 'differs' && HELD,
    disputedBy &&
      `Too few endpoints report this balance, and the others report less. It is reported by ${disputedBy.join(' and ')}.`,
    failure && `The re-scan could not be read: ${failure}`,
  ];
  return reasons.filter(Boolean).join(' ');
}

type Found = {
  readonly sessionId: string;
  readonly address: string;
  /** The newest block of the differing balances. */
  readonly newest: number;
  readonly surplus: readonly FirstSurplus[];
};

/**
 * The block up to which a re-scan has to read, or null while the watcher has yet to read the blocks of the first
 * differing balance. The balances of an idle network always belong to a newer block than the watcher has read, so the
 * first balances are stored. `explained`: the watcher has read the transfers that they contain. Otherwise a sender who
 * pays dust in each block could delay the goal forever.
 */
async function reachedGoal(
  { pool }: Context,
  { id: chainId, final }: ChainRow,
  { sessionId, address, newest, surplus }: Found,
): Promise<number | 'explained' | null> {
  if (final.number >= newest) return newest;
  const first = await storeFirstReading(pool, { chainId, sessionId, goal: newest, surplus });
  if (first === null || final.number < first.goal) return null;
  return (await isStored(pool, chainId, { address, surplus: first.surplus })) ? 'explained' : final.number;
}

/** Whether the stored transfers reach the first differing balances by their blocks. */
async function isStored(
  pool: Pool,
  chainId: number,
  { address, surplus }: { readonly address: string; readonly surplus: readonly FirstSurplus[] | null },
): Promise<boolean> {
  if (surplus === null) return false;
  const expected = surplus.map((one) => ({ address, currency: one.currency, ...atBlock(one.through) }));
  const sums = await storedSums(pool, stored(chainId), new Map(expected.map((one) => [keyOf(one), one])));
  return surplus.every(
    (one) => (sums.get(keyOf({ address, currency: one.currency }))?.most ?? 0n) >= BigInt(one.amount),
  );
}

/** Tokens that left must not hide a missed payment, whether or not they are explained. */
const stored = (chainId: number) => ({ chainId, without: 'all' }) as const;

const atBlock = (number: number) => ({ from: { number }, through: { number } });
