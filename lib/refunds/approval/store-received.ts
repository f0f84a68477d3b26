// What the watcher proved that a store's sessions received, by token and network. The ledger alone proves nothing, because the web process
// posts to it: a transfer counts with the watcher's MAC, and when the wallet derives its deposit address again. The sums are kept under a MAC
// of their own, so that a payment verifies only the transfers since the last one. `npm run re-attest` drops them.

import { toCommon } from '@/lib/money/amounts';
import { isMac, makeMac, type MacKeys } from '@/lib/platform/crypto';
import type { Db } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { canonicalJson } from '@/lib/platform/json/json-text';
import { transferFacts, type TransferColumns } from '@/lib/refunds/destination/payers';
import { isAttested } from '@/lib/signer/attestations/payer-evidence';
import type { AddressSource } from '@/lib/treasury/wallets/address-source';

export type Store = { readonly storeId: string; readonly environment: Environment };
/** What verifies a transfer. */
export type Verifier = { readonly key: MacKeys; readonly deposits: Pick<AddressSource, 'owns'> };
/** At the common precision (lib/money/amounts), by `network/currency`. */
export type Sums = Readonly<Record<string, bigint>>;

const PAGE = 500;
/** Each transfer asks the signer once. More of them wait for the next run, so that a large store delays no other one. */
const MAX_PAGES = 4;

/** `genesis`: null where the entry names no transfer. */
type Entry = { entry_id: string; entry_at: Date; is_settled: boolean };
type TransferEntry = Entry & TransferColumns & { session_id: string; is_of_store: boolean; index: number };
type Row = TransferEntry | (Entry & { genesis: null });
/** Sums up to one of the store's entries. */
export type Kept = { readonly entryId: string; readonly entryAt: Date; readonly sums: Sums };
type KeptColumns = { entry_id: string; entry_at: Date; sums: Record<string, string> };

const NOTHING: Kept = { entryId: '0', entryAt: new Date(0), sums: {} };

/**
 * The sums. Those of entries older than ten minutes are kept page by page, because younger entries can still appear between them. Null while
 * there are more transfers than one run verifies: the next call continues. Throws AddressSourceError.
 */
export async function readReceived(db: Db, verifier: Verifier, of: Store): Promise<Sums | null> {
  let cursor = await readKept(db, verifier.key, of);
  for (let page = 1; ; page++) {
    const rows = await readPage(db, of, cursor);
    let settled: Kept | null = null;
    for (const row of rows) {
      const isCounted = row.genesis !== null && (await isProven(verifier, of, row));
      const sums: Sums = isCounted ? plus(cursor.sums, row) : cursor.sums;
      cursor = { entryId: row.entry_id, entryAt: row.entry_at, sums };
      if (row.is_settled) settled = cursor;
    }
    if (settled) await keep(db, verifier.key, of, settled);
    if (rows.length < PAGE) return cursor.sums;
    // What cannot be kept yet is verified at once, because the next call would begin with it again.
    if (page >= MAX_PAGES && settled === cursor) return null;
  }
}

async function isProven({ key, deposits }: Verifier, { environment }: Store, row: TransferEntry): Promise<boolean> {
  if (!row.is_of_store) return false;
  if (!isAttested(key, transferFacts({ environment, sessionId: row.session_id }, row), row.mac)) return false;
  // The web process inserts the session's row, so its addresses prove nothing. The wallet derives them again.
  return deposits.owns(row.index, [row.recipient]);
}

function plus(sums: Sums, { network, currency, amount, decimals }: TransferEntry): Sums {
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

async function readKept(db: Db, key: MacKeys, of: Store): Promise<Kept> {
  const { rows } = await db.query<KeptColumns & { mac: Buffer }>({
    name: 'store-backing',
    text: `SELECT entry_id::text, entry_at, sums, mac FROM payout_backing WHERE store_id = $1 AND environment = $2::"Environment"`,
    values: [of.storeId, of.environment],
  });
  const [row] = rows;
  if (!row) return NOTHING;
  const kept = keptOf(row);
  return isBacking(key, of, kept, row.mac) ? kept : NOTHING;
}

export const keptOf = ({ entry_id: entryId, entry_at: entryAt, sums }: KeptColumns): Kept => ({
  entryId,
  entryAt,
  sums: Object.fromEntries(Object.entries(sums).map(([asset, amount]) => [asset, BigInt(amount)])),
});

async function keep(db: Db, key: MacKeys, of: Store, kept: Kept): Promise<void> {
  await db.query({
    name: 'store-backing-keep',
    text: `INSERT INTO payout_backing AS b (store_id, environment, entry_id, entry_at, sums, mac)
           VALUES ($1, $2::"Environment", $3, $4, $5, $6)
           ON CONFLICT (store_id, environment) DO UPDATE SET entry_id = EXCLUDED.entry_id, entry_at = EXCLUDED.entry_at,
             sums = EXCLUDED.sums, mac = EXCLUDED.mac`,
    values: [of.storeId, of.environment, kept.entryId, kept.entryAt, jsonOf(kept.sums), backingMac(key, of, kept)],
  });
}

const jsonOf = (sums: Sums): string =>
  canonicalJson(Object.fromEntries(Object.entries(sums).map(([asset, amount]) => [asset, String(amount)])));

export const backingMac = (keys: MacKeys, of: Store, kept: Kept): Buffer => makeMac(keys, keptParts(of, kept));

/** Whether the worker kept exactly these sums. */
export const isBacking = (keys: MacKeys, of: Store, kept: Kept, mac: Uint8Array): boolean =>
  isMac(keys, keptParts(of, kept), mac);

const keptParts = ({ storeId, environment }: Store, { entryId, entryAt, sums }: Kept): readonly string[] => [
  'stabletill store backing 1',
  storeId,
  environment,
  entryId,
  entryAt.toISOString(),
  jsonOf(sums),
];
