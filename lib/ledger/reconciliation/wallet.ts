// Compares the refund wallet's balance of each token with the ledger, together with what former refund wallets still hold. A surplus in two
// consecutive readings is the operator's funding and is posted as such, once the watcher has found every sweep into the wallet up to the
// first of them: a sweep is booked by the transfer out of its deposit address (outflows.ts), never as funding. A deficit beyond the
// payments in flight, in two consecutive readings, is a discrepancy and freezes the signer for as long as it is open. A reading during
// which one of our payments changed is not used.

import type { BalanceReader, FinalBalance } from '@/lib/networks/endpoints/balances-reader';
import { FAMILIES } from '@/lib/networks/families/family';
import type { FollowedChain } from '@/lib/networks/registry';
import type { Context } from '@/lib/platform/context';
import { transaction, type Db } from '@/lib/platform/database/db';
import { postFunding } from '@/lib/ledger/post-refund';
import { centsToBaseUnits } from '@/lib/money/amounts';
import { reportDiscrepancy } from '@/lib/ledger/reconciliation/report-discrepancy';
import { noteGivenUp } from './cold-wallet';
import { closeDiscrepancy } from './discrepancies';
import {
  formerWallets,
  heldTogether,
  namedFinding,
  namedTooEarly,
  readWalletReadings,
  storeFormer,
  type NamedWallet,
} from './former-wallets';
import { confirmed, returningOf, signedBeforeOf, unexplained, type InFlight } from './judge-wallet';
import { readWalletBooks, type WalletBooks } from './refills';
import { earlierReading, holdLease, storeReading, type Lease } from './rows';

export type WalletRun = {
  readonly chain: FollowedChain;
  readonly lease: Lease;
  readonly reader: BalanceReader;
  /** The refund wallet's address on the network. */
  readonly wallet: string;
  /** Whether deposit addresses are swept to it. */
  readonly isTreasury: boolean;
  /** Whether the endpoints still serve the chain of this run. */
  readonly isSameChain: () => Promise<boolean>;
};

/** `settled`: nothing is left to explain. `shortOf`: tokens with missing coins, one sentence each. */
export type WalletOutcome = { readonly settled: boolean; readonly shortOf: readonly string[] };

export async function reconcileWallet(context: Context, run: WalletRun): Promise<WalletOutcome> {
  const outcomes: (WalletOutcome | null)[] = [];
  for (const currency of Object.keys(run.chain.spec.tokens)) outcomes.push(await compare(context, run, currency));
  return {
    settled: outcomes.every((one) => one?.settled === true),
    shortOf: outcomes.flatMap((one) => one?.shortOf ?? []),
  };
}

/** Compares one token. Null when something moved meanwhile and nothing can be concluded. */
async function compare(context: Context, run: WalletRun, currency: string): Promise<WalletOutcome | null> {
  const { chain, lease, reader, wallet } = run;
  const readings = await readWalletReadings(context.pool, { chainId: lease.chainId, currency });
  const by = { config: context.config, spec: chain.spec };
  const former = formerWallets(readings, wallet, by)
    .slice(0, reader.most - 1)
    .map(({ address }) => address);
  const before = await readLedgerState(context.pool, run, { currency, former });
  const requests = [wallet, ...former].map(async (address) => {
    return { address, accounts: await knownAccounts(context.pool, { lease, wallet: address }, currency) };
  });
  const found = await reader.tokens(await Promise.all(requests), currency);
  const held = heldTogether(found, [wallet, ...former]);
  const after = await readLedgerState(context.pool, run, { currency, former });
  const isStill = held !== null && JSON.stringify(before.parts) === JSON.stringify(after.parts);
  if (!isStill || held.from.number < after.landedAt || !(await run.isSameChain())) return null;
  const named = namedTooEarly(readings, wallet, by);
  return conclude(context, run, { currency, held, found, former, named, ledger: after });
}

type Concluding = {
  readonly currency: string;
  /** The present wallet and the former ones together. */
  readonly held: FinalBalance;
  readonly found: ReadonlyMap<string, FinalBalance>;
  readonly former: readonly string[];
  /** Former ones that the settings name for another purpose, though they held tokens when they were read last. */
  readonly named: readonly NamedWallet[];
  readonly ledger: LedgerState;
};

async function conclude(
  context: Context,
  run: WalletRun,
  { currency, held, found, former, named, ledger }: Concluding,
): Promise<WalletOutcome | null> {
  const { chain, lease, wallet } = run;
  const { environment, network, spec } = chain;
  const { chainId } = lease;
  const now = context.clock.now();
  const place = { chainId, address: wallet, currency };
  const asset = { chainId, address: wallet, asset: currency };
  return transaction(context.pool, async (tx) => {
    if (!(await holdLease(tx, lease))) return null;
    const before = await earlierReading(tx, asset);
    const [first, last] = [held.from.number, held.through.number];
    const books = await readWalletBooks(tx, { chain, chainId, wallet, currency }, [
      first,
      last,
      before?.block ?? first,
    ]);
    if (books.withoutRefills !== ledger.withoutRefills) return null;
    const [least = 0n, most = 0n, byThen = 0n] = books.refilledBy;
    const expected = {
      least: books.withoutRefills + least,
      // A return of the cold wallet may be in the reading, and is booked when it is final (lib/cold-storage/returns).
      most: books.withoutRefills + most + ledger.returning,
    };
    const signedBefore = signedBeforeOf(spec, held.through.time);
    const { inFlight } = ledger;
    const present = {
      unexplained: unexplained({ expected, found: held.amount, inFlight, signedBefore }),
      block: last,
      refilled: most,
    };
    // What sweeps had brought by the earlier reading and is known only now was no funding then.
    const earlier = before && {
      ...before,
      unexplained: before.unexplained - (byThen - before.refilled),
      refilled: byThen,
    };
    const about = { environment, network, currency };
    // A restarted local chain has none of the coins in the ledger, and other ones instead.
    const isAnew = before === null && spec.chain === 'local' && inFlight.length === 0;
    const isLater = earlier !== null && last > earlier.block;
    const agreed = isAnew
      ? held.amount - expected.most
      : isLater
        ? confirmed(earlier.unexplained, present.unexplained)
        : 0n;
    const isUndecided = agreed > 0n && !isAnew && !isComplete(run, books, earlier?.block ?? last);
    const sure = isUndecided ? 0n : agreed;
    const isFunding = sure > 0n || (isAnew && sure !== 0n);
    if (isFunding) {
      await postFunding(tx, environment, { network, currency, amount: sure });
      context.log.info(
        { ...about, amount: String(sure) },
        'the operator’s coins in the refund wallet are posted as funding',
      );
    }
    const left = isAnew ? 0n : isFunding ? present.unexplained - sure : present.unexplained;
    const judged = isUndecided && earlier ? earlier : { ...present, unexplained: left };
    const own = found.get(wallet) ?? held;
    await storeReading(tx, { ...asset, held: { amount: own.amount, through: held.through }, judged, now });
    for (const address of former)
      await storeFormer(tx, { chainId, currency }, { ...(found.get(address) ?? held), address });
    const isShort = sure < 0n && !isFunding;
    if (isShort) {
      const note = named.length === 0 ? null : Object.values(namedFinding(named)).join('. ');
      const missing = { ...place, environment, network, expected: expected.least, found: held.amount, now, note };
      if (await reportDiscrepancy(tx, missing)) {
        const amounts = { expected: String(expected.least), found: String(held.amount) };
        context.log.error({ ...about, ...amounts, note }, 'the refund wallet holds less than the ledger says');
      }
    } else if (present.unexplained >= 0n && (await closeDiscrepancy(tx, place, now))) {
      context.log.warn(about, 'the refund wallet holds what the ledger says again');
    }
    // The books agree without them, so they are no former wallets any more.
    if (present.unexplained >= 0n && inFlight.length === 0)
      for (const { address } of named)
        await storeFormer(tx, { chainId, currency }, { address, amount: 0n, through: held.through });
    const stored = FAMILIES[spec.family].storedAddress(wallet);
    if (isFunding && sure > 0n) await noteGivenUp(tx, { chainId, wallet: stored, currency, amount: sure, now });
    const sentence = `the refund wallet on ${network} (${environment}) holds less ${currency} than the ledger says`;
    return { settled: left === 0n, shortOf: isShort ? [sentence] : [] };
  });
}

/** Whether the watcher has found every sweep into the wallet up to this block. */
const isComplete = ({ isTreasury }: WalletRun, { hasRefills, completeTo }: WalletBooks, block: number): boolean =>
  completeTo >= block || !(isTreasury || hasRefills);

type LedgerState = {
  readonly withoutRefills: bigint;
  readonly inFlight: readonly InFlight[];
  /** Base units that are on their way from the cold wallet. */
  readonly returning: bigint;
  /** The newest block in which one of our payments, or a return of the cold wallet, is known to have landed. */
  readonly landedAt: number;
  /** All of the above as text, to detect any change. */
  readonly parts: readonly string[];
};

/** The state of the wallet, and of the former ones that count beside it, according to the database. */
async function readLedgerState(
  db: Db,
  { chain, lease, wallet }: WalletRun,
  { currency, former }: { readonly currency: string; readonly former: readonly string[] },
): Promise<LedgerState> {
  const decimals = chain.spec.tokens[currency]?.decimals ?? 0;
  const { withoutRefills } = await readWalletBooks(db, { chain, chainId: lease.chainId, wallet, currency });
  // Drafts count too: a draft restored from the signer's journal may have been signed, and have landed, long ago.
  const open = await db.query<{ id: string; intent_id: string; amount: string; signed_at: string; status: string }>({
    name: 'reconcile-in-flight',
    text: `SELECT a.id, a.intent_id, a.status, r.amount, COALESCE(floor(extract(epoch FROM a.signed_at)), 0) AS signed_at
           FROM refund_attempts a CROSS JOIN LATERAL (SELECT amount, currency FROM refunds WHERE id = a.intent_id
             UNION ALL SELECT amount, currency FROM payouts WHERE id = a.intent_id
             UNION ALL SELECT amount, currency FROM cold_transfers WHERE id = a.intent_id) r
           WHERE a.chain_id = $1 AND a.ended_at IS NULL AND r.currency = $2 ORDER BY a.id`,
    values: [lease.chainId, currency],
  });
  const landed = await db.query<{ block: string | null }>({
    name: 'reconcile-landed',
    text: `SELECT greatest((SELECT max(block_number) FROM refund_attempts WHERE chain_id = $1 AND status = 'landed'),
             (SELECT max(block_number) FROM cold_returns WHERE chain_id = $1 AND outcome = 'landed')) AS block`,
    values: [lease.chainId],
  });
  // The tenth word of a SafeTx is its nonce.
  const returns = await db.query<{ id: string; amount: string; one_of: string }>({
    name: 'reconcile-returning',
    text: `SELECT id, amount::text AS amount, CASE WHEN account->>'kind' = 'safe' THEN sender || ' ' || substr(unsigned, 3 + 9 * 64, 64) ELSE id END
               AS one_of FROM cold_returns WHERE chain_id = $1 AND recipient = ANY ($2) AND currency = $3
             AND (signed_at IS NOT NULL OR account->>'kind' = 'safe') AND ended_at IS NULL ORDER BY id`,
    values: [lease.chainId, [wallet, ...former].map(FAMILIES[chain.spec.family].storedAddress), currency],
  });
  const landedAt = Number(landed.rows[0]?.block ?? 0);
  return {
    withoutRefills,
    landedAt,
    returning: returningOf(returns.rows),
    inFlight: open.rows.map(({ intent_id: intentId, amount, signed_at: signedAt }) => ({
      intentId,
      amount: centsToBaseUnits(BigInt(amount), decimals),
      signedAt: Number(signedAt),
    })),
    parts: [
      ...[String(withoutRefills), String(landedAt)],
      ...open.rows.map(({ id, status }) => `${id} ${status}`),
      ...returns.rows.map(({ id }) => id),
    ],
  };
}

/** Token accounts of the wallet besides the usual one, on networks that have them. */
async function knownAccounts(
  db: Db,
  { lease, wallet }: Pick<WalletRun, 'lease' | 'wallet'>,
  currency: string,
): Promise<string[]> {
  const { rows } = await db.query<{ account: string }>({
    name: 'reconcile-accounts-of',
    text: 'SELECT account FROM account_cursors WHERE chain_id = $1 AND owner = $2 AND currency = $3',
    values: [lease.chainId, wallet, currency],
  });
  return rows.map(({ account }) => account);
}
