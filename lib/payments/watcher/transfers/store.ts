// Stores the transfers of a scan: unconfirmed above finality, credited once final. Both inserts are idempotent by the transfer's
// identity (chain, transaction, ordinal), so finding a transfer again changes nothing.

import type { MacKeys } from '@/lib/platform/crypto';
import type { FoundTransfer } from '@/lib/networks/chain';
import { tokenOf, type NetworkSpec } from '@/lib/networks/networks';
import { fromUnixSeconds } from '@/lib/platform/clock';
import type { Db, Tx } from '@/lib/platform/database/db';
import { transferMac } from '@/lib/signer/attestations/payer-evidence';
import type { Log } from '@/lib/platform/log';
import { isNotQuarantined } from '@/lib/platform/database/quarantine';
import { NAMES_OF_SESSION, notePayment, type StoredRow } from './note-payment';
import { recordSeen } from '@/lib/payments/sessions/settle/optional-events';

export type SessionTransfer = FoundTransfer & { readonly sessionId: string };

type Store = { readonly chainId: number; readonly foundTransfers: readonly SessionTransfer[]; readonly now: Date };

/** The found transfers as parallel arrays, for one insert whatever their number. */
const FACTS = `unnest($3::text[], $4::text[], $5::int[], $6::bigint[], $7::text[], $8::timestamptz[], $9::text[],
  $10::text[], $11::text[], $12::text[], $13::numeric[])`;
const FACT_NAMES = `session_id, transaction_hash, ordinal, block_number, block_hash, block_time, currency,
  contract, payer, recipient, amount`;

const factValues = (foundTransfers: readonly SessionTransfer[]): unknown[] => [
  foundTransfers.map((transfer) => transfer.sessionId),
  foundTransfers.map((transfer) => transfer.transactionHash),
  foundTransfers.map((transfer) => transfer.ordinal),
  foundTransfers.map((transfer) => transfer.blockNumber),
  foundTransfers.map((transfer) => transfer.blockHash),
  foundTransfers.map((transfer) => fromUnixSeconds(transfer.blockTime)),
  foundTransfers.map((transfer) => transfer.currency),
  foundTransfers.map((transfer) => transfer.contract),
  foundTransfers.map((transfer) => transfer.payer),
  foundTransfers.map((transfer) => transfer.recipient),
  foundTransfers.map((transfer) => transfer.amount.toString()),
];

/** `evidenceKey` makes the MAC over every stored fact, so that the payer can be refunded. */
type StoreFinal = Store & { readonly evidenceKey: MacKeys | undefined };

/** A final transfer with all columns of its row. */
export type ProvenTransfer = SessionTransfer & {
  readonly chainId: number;
  readonly network: string;
  readonly decimals: number;
  readonly mac: Buffer | null;
};

/**
 * The transfers with their decimals and the watcher's MAC. Throws without the key: a payment stored without its MAC could
 * never be refunded to its payer.
 */
export async function proveTransfers(db: Db, spec: NetworkSpec, final: StoreFinal): Promise<ProvenTransfer[]> {
  const { chainId, foundTransfers, evidenceKey: key } = final;
  if (foundTransfers.length === 0) return [];
  if (!key) throw new Error('EVIDENCE_KEY is not set, so no payment can be stored');
  const macs = await macsOf(db, spec, { chainId, foundTransfers, key });
  return foundTransfers.map((transfer, index) => ({
    ...transfer,
    chainId,
    network: spec.network,
    decimals: decimalsOf(spec, transfer),
    mac: macs[index] ?? null,
  }));
}

/**
 * Stores final transfers of one chain and removes their unconfirmed transfers. Returns the sessions that got a new transfer, and adds to
 * `waits` the seconds for which each transfer was seen before. Throws when one is already stored with other facts: the caller quarantines
 * it, and operators decide which is true.
 */
export async function storeTransfers(
  tx: Tx,
  foundTransfers: readonly ProvenTransfer[],
  now: Date,
  waits: number[] = [],
): Promise<string[]> {
  const [first] = foundTransfers;
  if (!first) return [];
  const { chainId, network } = first;
  const text = `INSERT INTO transfers (chain_id, created_at, network, decimals, mac, is_plain, ${FACT_NAMES})
    SELECT $1, $2, $14, decimals, mac, is_plain, ${FACT_NAMES}
    FROM ROWS FROM (${FACTS}, unnest($15::int[]), unnest($16::bytea[]), unnest($17::boolean[]))
      AS found (${FACT_NAMES}, decimals, mac, is_plain)
    ON CONFLICT (chain_id, transaction_hash, ordinal) DO NOTHING RETURNING session_id, transaction_hash,
      ${NAMES_OF_SESSION}`;
  const proof = [
    foundTransfers.map(({ decimals }) => decimals),
    foundTransfers.map(({ mac }) => mac),
    foundTransfers.map(({ isPlain }) => isPlain),
  ];
  const values = [chainId, now, ...factValues(foundTransfers), network, ...proof];
  const { rows } = await tx.query<StoredRow>({ name: 'transfers_store', text, values });
  for (const row of rows) notePayment(tx, 'final', row);
  await checkStored(tx, chainId, foundTransfers);
  const seen = await tx.query<{ seconds: number }>({
    name: 'unconfirmed_transfers_settle',
    text: `DELETE FROM unconfirmed_transfers USING unnest($2::text[], $3::int[]) AS found (hash, ordinal)
      WHERE chain_id = $1 AND transaction_hash = found.hash AND unconfirmed_transfers.ordinal = found.ordinal
      RETURNING extract(epoch FROM $4::timestamptz - seen_at)::float8 AS seconds`,
    values: [
      chainId,
      foundTransfers.map((transfer) => transfer.transactionHash),
      foundTransfers.map((transfer) => transfer.ordinal),
      now,
    ],
  });
  waits.push(...seen.rows.map(({ seconds }) => seconds));
  return [...new Set(rows.map((row) => row.session_id))].toSorted();
}

/**
 * A single trusted endpoint may have reported a transfer wrongly, and its row must not hide the correct one. A contradiction that an
 * operator has decided is not reported again (lib/dashboard/operator/contradiction).
 */
async function checkStored(tx: Tx, chainId: number, foundTransfers: readonly SessionTransfer[]): Promise<void> {
  const { rows } = await tx.query<{ transaction_hash: string; stored: string; found: string }>({
    name: 'transfers_check_stored',
    text: `SELECT t.transaction_hash, t.amount::text AS stored, found.amount::text AS found FROM transfers t
        JOIN unnest($2::text[], $3::int[], $4::text[], $5::text[], $6::text[], $7::numeric[])
          AS found (hash, ordinal, contract, payer, recipient, amount)
        ON t.transaction_hash = found.hash AND t.ordinal = found.ordinal
      WHERE t.chain_id = $1
        AND (t.contract, t.payer, t.recipient, t.amount) <> (found.contract, found.payer, found.recipient, found.amount)
        AND NOT EXISTS (SELECT FROM quarantine q WHERE q.kind = 'transfer' AND q.decision IS NOT NULL
          AND q.subject_id = $1 || ' ' || t.transaction_hash || ' ' || t.ordinal
          AND (q.facts->>'contract', q.facts->>'payer', q.facts->>'recipient', q.facts->>'amount')
            = (found.contract, found.payer, found.recipient, found.amount::text))`,
    values: [
      chainId,
      foundTransfers.map((transfer) => transfer.transactionHash),
      foundTransfers.map((transfer) => transfer.ordinal),
      foundTransfers.map((transfer) => transfer.contract),
      foundTransfers.map((transfer) => transfer.payer),
      foundTransfers.map((transfer) => transfer.recipient),
      foundTransfers.map((transfer) => transfer.amount.toString()),
    ],
  });
  const [one] = rows;
  if (!one) return;
  const { transaction_hash: hash, stored, found } = one;
  throw new Error(
    `transfer ${hash} is stored with other facts (amount ${stored}) than endpoints report now (${found})`,
  );
}

async function macsOf(
  db: Db,
  spec: NetworkSpec,
  { chainId, foundTransfers, key }: { chainId: number; foundTransfers: readonly SessionTransfer[]; key: MacKeys },
): Promise<Buffer[]> {
  const query = { name: 'transfers_chain', text: 'SELECT genesis FROM chains WHERE id = $1', values: [chainId] };
  const [chain] = (await db.query<{ genesis: string }>(query)).rows;
  if (!chain) throw new Error(`there is no chain ${chainId}`);
  const { environment, network } = spec;
  return foundTransfers.map((transfer) =>
    transferMac(key, {
      ...{ ...transfer, environment, network, genesis: chain.genesis, decimals: decimalsOf(spec, transfer) },
    }),
  );
}

function decimalsOf(spec: NetworkSpec, transfer: SessionTransfer): number {
  const found = tokenOf(spec, transfer.contract);
  if (found?.currency !== transfer.currency)
    throw new Error(`${transfer.contract} is not ${transfer.currency} on ${spec.network}`);
  return found.token.decimals;
}

type SeenRow = StoredRow & { ordinal: number; is_new: boolean };

/** Stores unconfirmed transfers. A known one gets the block in which it is found now, and causes no second event. */
export async function storeUnconfirmed(
  tx: Tx,
  { chainId, foundTransfers, now, log }: Store & { readonly log: Log },
): Promise<void> {
  if (foundTransfers.length === 0) return;
  const text = `INSERT INTO unconfirmed_transfers (chain_id, seen_at, ${FACT_NAMES})
    SELECT $1, $2, ${FACT_NAMES} FROM ${FACTS} AS found (${FACT_NAMES})
    ON CONFLICT (chain_id, transaction_hash, ordinal) DO UPDATE
    SET block_number = EXCLUDED.block_number, block_hash = EXCLUDED.block_hash, block_time = EXCLUDED.block_time,
      session_id = EXCLUDED.session_id, currency = EXCLUDED.currency, contract = EXCLUDED.contract,
      payer = EXCLUDED.payer, recipient = EXCLUDED.recipient, amount = EXCLUDED.amount, orphaned_at = NULL
    RETURNING session_id, transaction_hash, ordinal, xmax = 0 AS is_new, ${NAMES_OF_SESSION}`;
  const values = [chainId, now, ...factValues(foundTransfers)];
  const { rows } = await tx.query<SeenRow>({ name: 'unconfirmed_transfers_store', text, values });
  for (const row of rows) if (row.is_new) notePayment(tx, 'seen', row);
  const first = new Set(rows.filter(({ is_new }) => is_new).map((row) => `${row.transaction_hash} ${row.ordinal}`));
  const transfers = foundTransfers.filter(({ transactionHash, ordinal }) => first.has(`${transactionHash} ${ordinal}`));
  await recordSeen(tx, { chainId, transfers }, { now, log });
}

/** The identity of a transfer as one text: its subject id in quarantine. */
export const placeOf = (chainId: number, at: { readonly transactionHash: string; readonly ordinal: number }): string =>
  `${chainId} ${at.transactionHash} ${at.ordinal}`;

/** The same for a row of `unconfirmed_transfers` under the alias s. A quarantined row must not change. */
const PLACE = `s.chain_id || ' ' || s.transaction_hash || ' ' || s.ordinal`;
const IS_FREE = `${isNotQuarantined('unconfirmed_transfer', PLACE)} AND ${isNotQuarantined('transfer', PLACE)}`;

/** Orphans the unconfirmed transfers up to a block that the final pass did not find again. */
export async function orphanUpTo(tx: Tx, chainId: number, block: number, now: Date): Promise<void> {
  const text = `UPDATE unconfirmed_transfers s SET orphaned_at = $3
    WHERE chain_id = $1 AND orphaned_at IS NULL AND block_number <= $2 AND ${IS_FREE}`;
  await tx.query({ name: 'unconfirmed_transfers_orphan_to', text, values: [chainId, block, now] });
}

/** Orphans the unconfirmed transfers above a block whose chain is no longer canonical. */
export async function orphanAbove(db: Db, chainId: number, block: number, now: Date): Promise<void> {
  const text = `UPDATE unconfirmed_transfers s SET orphaned_at = $3
    WHERE chain_id = $1 AND orphaned_at IS NULL AND block_number > $2 AND ${IS_FREE}`;
  await db.query({ name: 'unconfirmed_transfers_orphan_above', text, values: [chainId, block, now] });
}

export type OpenUnconfirmedTransfer = {
  readonly id: string;
  readonly sessionId: string;
  readonly transactionHash: string;
  readonly ordinal: number;
};

/** The unconfirmed transfers in a range of blocks that can be orphaned. */
export async function openUnconfirmed(
  db: Db,
  chainId: number,
  blocks: { readonly above: number; readonly upTo: number | null },
): Promise<OpenUnconfirmedTransfer[]> {
  const { rows } = await db.query<OpenUnconfirmedTransfer>({
    name: 'unconfirmed_transfers_open_between',
    text: `SELECT id, session_id AS "sessionId", transaction_hash AS "transactionHash", ordinal FROM unconfirmed_transfers s
      WHERE chain_id = $1 AND orphaned_at IS NULL AND block_number > $2 AND ($3::bigint IS NULL OR block_number <= $3)
        AND ${IS_FREE} ORDER BY id`,
    values: [chainId, blocks.above, blocks.upTo],
  });
  return rows;
}

/** Orphans these unconfirmed transfers. */
export async function orphanThese(db: Db, unconfirmed: readonly OpenUnconfirmedTransfer[], now: Date): Promise<void> {
  await db.query({
    name: 'unconfirmed_transfers_orphan_these',
    text: 'UPDATE unconfirmed_transfers SET orphaned_at = $2 WHERE id = ANY($1) AND orphaned_at IS NULL',
    values: [unconfirmed.map(({ id }) => id), now],
  });
}
