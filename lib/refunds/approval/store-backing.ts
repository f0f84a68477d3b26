// What a store has provably received, less what was refunded and paid out: the most that its payouts may be, whatever the web process wrote,
// and its refunds too once it was paid out. The ledger alone proves nothing, because the web process posts to it. The watcher's MAC over each
// transfer does, together with the wallet, which derives the deposit address again. The sums are kept under a MAC of their own, so that a
// payment verifies only the transfers since the last one.

import { commonToCents, toCommon } from '@/lib/money/amounts';
import { macOf, sameBytes } from '@/lib/platform/crypto';
import type { Db, Tx } from '@/lib/platform/database/db';
import { canonicalJson } from '@/lib/platform/json/json-text';
import { transferFacts, type TransferColumns } from '@/lib/refunds/destination/payers';
import { countsTowards } from '@/lib/refunds/request/tokens';
import type { LeasedPayment } from '@/lib/refunds/rows';
import type { Work } from '@/lib/refunds/sending/sending-context';
import { isAttested } from '@/lib/signer/attestations/payer-evidence';

type Store = Pick<LeasedPayment, 'storeId' | 'environment'>;
/** What verifies a transfer. */
type Judge = { readonly key: Uint8Array; readonly deposits: NonNullable<Work['sending']['deposits']> };
/** At the common precision (lib/money/amounts), by `network/currency`. */
type Sums = Readonly<Record<string, bigint>>;
type Asset = { readonly network: string; readonly currency: string };

const PAGE = 500;
/** The class of these advisory locks; the second part is the store. */
const LOCK_CLASS = 0x7e_f6;

/** The sums that `isBackedByStore` verified, for the transaction that requests the signature: nothing is asked from the signer there. */
const verified = new WeakMap<Work, Sums>();

/** Whether the payment is within what its store has left. Throws AddressSourceError. */
export async function isBackedByStore(work: Work, key: Uint8Array): Promise<boolean> {
  const { context, sending } = work;
  if (!sending.deposits) return false;
  const judge = { key, deposits: sending.deposits };
  for (const isFromKept of [true, false]) {
    const received = await readReceived(context.pool, judge, work.payment, isFromKept);
    verified.set(work, received);
    if (await isWithin(context.pool, work, received)) return true;
    // The kept sums may lack transfers that were proven or posted late. Then they are counted once more from the first one.
  }
  return false;
}

/** Serializes the requests to the signer for payments of one store. */
export const lockStorePayments = (tx: Tx, { storeId }: Pick<Store, 'storeId'>): Promise<unknown> =>
  tx.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [LOCK_CLASS, storeId]);

/** The same again, in the transaction that holds the store's lock. False when it was not verified before. */
export async function isStillBackedByStore(tx: Tx, work: Work): Promise<boolean> {
  const received = verified.get(work);
  if (!received) return false;
  return isWithin(tx, work, received);
}

/** Whether a payout of the store was ever sent to the signer. Its refunds are then bounded by what the store has left, too. */
export async function wasPaidOut(db: Db, { storeId, environment }: Store): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'store-paid-out',
    text: `SELECT 1 FROM payouts WHERE store_id = $1 AND environment = $2::"Environment" AND signature_requested_at IS NOT NULL
             AND status NOT IN ('failed', 'canceled') LIMIT 1`,
    values: [storeId, environment],
  });
  return rowCount !== 0;
}

/** Cents that the store's payouts of an asset may ever add up to: what it received there, and in all after its refunds. */
export async function mostPaidOut(work: Work, key: Uint8Array): Promise<bigint> {
  const { context, sending, payment } = work;
  if (!sending.deposits) return 0n;
  const received = await readReceived(context.pool, { key, deposits: sending.deposits }, payment, true);
  const counts = countsTowards(context.config, payment);
  const given = await readGiven(context.pool, work);
  const refunded = given.filter(counts).reduce((sum, one) => sum + one.refunded, 0n);
  const [own, all] = [
    commonToCents(sumOf(received, (one) => isSame(one, payment))),
    commonToCents(sumOf(received, counts)),
  ];
  const left = all > refunded ? all - refunded : 0n;
  return own < left ? own : left;
}

const isSame = (one: Asset, other: Asset): boolean => one.network === other.network && one.currency === other.currency;

const sumOf = (sums: Sums, counts: (one: Asset) => boolean): bigint =>
  Object.entries(sums).reduce((sum, [name, amount]) => {
    const [network = '', currency = ''] = name.split('/');
    return counts({ network, currency }) ? sum + amount : sum;
  }, 0n);

/** A payout is within what its asset has left too. A refund may be paid in another asset than it was received in. */
async function isWithin(db: Db, work: Work, received: Sums): Promise<boolean> {
  const { context, payment } = work;
  const counts = countsTowards(context.config, payment);
  const given = await readGiven(db, work);
  const left = (which: (one: Asset) => boolean, isPaidOutOnly: boolean): bigint =>
    commonToCents(sumOf(received, which)) -
    given.filter(which).reduce((sum, one) => sum + one.paidOut + (isPaidOutOnly ? 0n : one.refunded), 0n);
  if (payment.amount > left(counts, false)) return false;
  return payment.table === 'refunds' || payment.amount <= left((one) => isSame(one, payment), true);
}

type Given = Asset & { readonly refunded: bigint; readonly paidOut: bigint };

/** What the signer was asked for, in cents, without the payment itself. The web process cannot undo that. */
async function readGiven(db: Db, { payment: { id, storeId, environment } }: Work): Promise<readonly Given[]> {
  const { rows } = await db.query<{ network: string; currency: string; refunded: string; paid_out: string }>({
    name: 'store-given',
    text: `SELECT network, currency, sum(refunded)::text AS refunded, sum(paid_out)::text AS paid_out
           FROM (SELECT network, currency, amount AS refunded, 0 AS paid_out FROM refunds
               WHERE store_id = $1 AND environment = $2::"Environment" AND id <> $3 AND ${IS_GIVEN}
             UNION ALL SELECT network, currency, 0, amount FROM payouts
               WHERE store_id = $1 AND environment = $2::"Environment" AND id <> $3 AND ${IS_GIVEN}) AS given GROUP BY 1, 2`,
    values: [storeId, environment, id],
  });
  return rows.map(({ network, currency, refunded, paid_out: paidOut }) => ({
    ...{ network, currency, refunded: BigInt(refunded), paidOut: BigInt(paidOut) },
  }));
}

/** As in the indexes refunds_given and payouts_given. */
const IS_GIVEN = `signature_requested_at IS NOT NULL AND status NOT IN ('failed', 'canceled')`;

type Row = { entry_id: string; entry_at: Date; is_settled: boolean } & (
  (TransferColumns & { session_id: string; is_of_store: boolean; index: number }) | { genesis: null }
);
type Kept = { readonly entryId: string; readonly entryAt: Date; readonly sums: Sums };

const NOTHING: Kept = { entryId: '0', entryAt: new Date(0), sums: {} };

/** Keeps the sums of what is older than ten minutes, page by page, so that an interrupted run goes on where it was. */
async function readReceived(db: Db, judge: Judge, of: Store, isFromKept: boolean): Promise<Sums> {
  const begin = isFromKept ? await readKept(db, judge.key, of) : NOTHING;
  let settled: Kept = begin;
  let cursor: Kept = begin;
  for (;;) {
    const rows = await readPage(db, of, cursor);
    for (const row of rows) {
      const isCounted = await isProven(judge, of, row);
      const sums: Sums = isCounted && row.genesis !== null ? plus(cursor.sums, row) : cursor.sums;
      cursor = { entryId: row.entry_id, entryAt: row.entry_at, sums };
      if (row.is_settled) settled = cursor;
    }
    if (settled !== begin) await keep(db, judge.key, of, settled);
    if (rows.length < PAGE) return cursor.sums;
  }
}

async function isProven({ key, deposits }: Judge, { environment }: Store, row: Row): Promise<boolean> {
  if (row.genesis === null || !row.is_of_store) return false;
  if (!isAttested(key, transferFacts({ environment, sessionId: row.session_id }, row), row.mac)) return false;
  // The web process inserts the session's row, so its addresses prove nothing. The wallet derives them again.
  return deposits.owns(row.index, [row.recipient]);
}

function plus(sums: Sums, { network, currency, amount, decimals }: TransferColumns): Sums {
  const asset = `${network}/${currency}`;
  return { ...sums, [asset]: (sums[asset] ?? 0n) + toCommon(BigInt(amount), decimals) };
}

/** An entry names each transfer at most once, and the web process cannot change the session of a transfer or the store of a session. */
async function readPage(db: Db, { storeId, environment }: Store, after: Kept): Promise<readonly Row[]> {
  const { rows } = await db.query<Row>({
    name: 'store-received',
    text: `SELECT e.id::text AS entry_id, e.created_at AS entry_at, e.created_at < now() - interval '10 minutes' AS is_settled,
             c.genesis, t.network, t.transaction_hash, t.ordinal, t.block_number, t.block_hash, t.block_time, t.currency, t.contract,
             t.payer, t.recipient, t.amount, t.decimals, t.is_plain, t.mac, t.session_id, s.address_index AS index,
             s.store_id = $1 AND s.environment = $2::"Environment" AND c.environment = $2::"Environment" AS is_of_store
           FROM (SELECT id, created_at, transfer_id FROM ledger_entries
               WHERE store_id = $1 AND environment = $2::"Environment" AND (created_at, id) > ($3::timestamptz, $4::bigint)
                 AND kind = 'transfer' ORDER BY created_at, id LIMIT ${PAGE}) e
             LEFT JOIN (transfers t JOIN sessions s ON s.id = t.session_id JOIN chains c ON c.id = t.chain_id) ON t.id = e.transfer_id
           ORDER BY e.created_at, e.id`,
    values: [storeId, environment, after.entryAt, after.entryId],
  });
  return rows;
}

async function readKept(db: Db, key: Uint8Array, of: Store): Promise<Kept> {
  const { rows } = await db.query<{ entry_id: string; entry_at: Date; sums: Record<string, string>; mac: Buffer }>({
    name: 'store-backing',
    text: `SELECT entry_id::text, entry_at, sums, mac FROM payout_backing WHERE store_id = $1 AND environment = $2::"Environment"`,
    values: [of.storeId, of.environment],
  });
  const [row] = rows;
  if (!row) return NOTHING;
  const sums = Object.fromEntries(Object.entries(row.sums).map(([asset, amount]) => [asset, BigInt(amount)]));
  const kept = { entryId: row.entry_id, entryAt: row.entry_at, sums };
  return sameBytes(keptMac(key, of, kept), row.mac) ? kept : NOTHING;
}

async function keep(db: Db, key: Uint8Array, of: Store, kept: Kept): Promise<void> {
  await db.query({
    name: 'store-backing-keep',
    text: `INSERT INTO payout_backing AS b (store_id, environment, entry_id, entry_at, sums, mac)
           VALUES ($1, $2::"Environment", $3, $4, $5, $6)
           ON CONFLICT (store_id, environment) DO UPDATE SET entry_id = EXCLUDED.entry_id, entry_at = EXCLUDED.entry_at,
             sums = EXCLUDED.sums, mac = EXCLUDED.mac`,
    values: [of.storeId, of.environment, kept.entryId, kept.entryAt, jsonOf(kept.sums), keptMac(key, of, kept)],
  });
}

const jsonOf = (sums: Sums): string =>
  canonicalJson(Object.fromEntries(Object.entries(sums).map(([asset, amount]) => [asset, String(amount)])));

const keptMac = (key: Uint8Array, { storeId, environment }: Store, { entryId, entryAt, sums }: Kept): Buffer =>
  macOf(key, ['stabletill store backing 1', storeId, environment, entryId, entryAt.toISOString(), jsonOf(sums)]);
