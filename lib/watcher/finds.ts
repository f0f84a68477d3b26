// Writing down what a scan found: sightings below finality, transfers once final. Both are idempotent by the transfer's
// identity (chain, transaction, ordinal), so finding the same one again changes nothing.

import type { FoundTransfer } from '@/lib/chains/chain';
import { tokenOf, type NetworkSpec } from '@/lib/chains/networks';
import { fromUnixSeconds } from '@/lib/clock';
import type { Db, Tx } from '@/lib/db';
import { transferMac } from '@/lib/payer-evidence';

export type Find = FoundTransfer & { readonly sessionId: string };

type Store = { readonly chainId: number; readonly finds: readonly Find[]; readonly now: Date };

/** The finds as parallel arrays, for one insert whatever their number. */
const FACTS = `unnest($3::text[], $4::text[], $5::int[], $6::bigint[], $7::text[], $8::timestamptz[], $9::text[],
  $10::text[], $11::text[], $12::text[], $13::numeric[])`;
const FACT_NAMES = `session_id, transaction_hash, ordinal, block_number, block_hash, block_time, currency,
  contract, payer, recipient, amount`;

const factValues = (finds: readonly Find[]): unknown[] => [
  finds.map((find) => find.sessionId),
  finds.map((find) => find.transactionHash),
  finds.map((find) => find.ordinal),
  finds.map((find) => find.blockNumber),
  finds.map((find) => find.blockHash),
  finds.map((find) => fromUnixSeconds(find.blockTime)),
  finds.map((find) => find.currency),
  finds.map((find) => find.contract),
  finds.map((find) => find.payer),
  finds.map((find) => find.recipient),
  finds.map((find) => find.amount.toString()),
];

/** `evidenceKey`: proves every stored fact, so that its payer can be paid back. */
type StoreFinal = Store & { readonly evidenceKey: Uint8Array | undefined };

/**
 * Stores final transfers and removes their sightings. Answers the sessions that got a transfer they did not have. Throws without
 * the key: a payment stored without its proof could never be paid back to its payer.
 */
export async function storeTransfers(tx: Tx, spec: NetworkSpec, final: StoreFinal): Promise<string[]> {
  const { chainId, finds, now } = final;
  if (finds.length === 0) return [];
  if (!final.evidenceKey) throw new Error('EVIDENCE_KEY is not set, so no payment can be stored');
  const text = `INSERT INTO transfers (chain_id, created_at, network, decimals, mac, is_plain, ${FACT_NAMES})
    SELECT $1, $2, $14, decimals, mac, is_plain, ${FACT_NAMES}
    FROM ROWS FROM (${FACTS}, unnest($15::int[]), unnest($16::bytea[]), unnest($17::boolean[]))
      AS found (${FACT_NAMES}, decimals, mac, is_plain)
    ON CONFLICT (chain_id, transaction_hash, ordinal) DO NOTHING RETURNING session_id`;
  const decimals = finds.map((find) => decimalsOf(spec, find));
  const macs = await macsOf(tx, spec, { chainId, finds, key: final.evidenceKey });
  const plain = finds.map((find) => find.isPlain);
  const values = [chainId, now, ...factValues(finds), spec.network, decimals, macs, plain];
  const { rows } = await tx.query<{ session_id: string }>({ name: 'transfers_store', text, values });
  await tx.query({
    name: 'sightings_settle',
    text: `DELETE FROM sightings USING unnest($2::text[], $3::int[]) AS found (hash, ordinal)
      WHERE chain_id = $1 AND transaction_hash = found.hash AND sightings.ordinal = found.ordinal`,
    values: [chainId, finds.map((find) => find.transactionHash), finds.map((find) => find.ordinal)],
  });
  return [...new Set(rows.map((row) => row.session_id))].toSorted();
}

async function macsOf(
  tx: Tx,
  spec: NetworkSpec,
  { chainId, finds, key }: { chainId: number; finds: readonly Find[]; key: Uint8Array },
): Promise<Buffer[]> {
  const query = { name: 'transfers_chain', text: 'SELECT genesis FROM chains WHERE id = $1', values: [chainId] };
  const [chain] = (await tx.query<{ genesis: string }>(query)).rows;
  if (!chain) throw new Error(`there is no chain ${chainId}`);
  const { environment, network } = spec;
  return finds.map((find) =>
    transferMac(key, {
      ...{ ...find, environment, network, genesis: chain.genesis, decimals: decimalsOf(spec, find) },
    }),
  );
}

function decimalsOf(spec: NetworkSpec, find: Find): number {
  const found = tokenOf(spec, find.contract);
  if (found?.currency !== find.currency) throw new Error(`${find.contract} is not ${find.currency} on ${spec.network}`);
  return found.token.decimals;
}

/** Stores sightings. One that was known, orphaned or in another block before, is as it is now found. */
export async function storeSightings(tx: Tx, { chainId, finds, now }: Store): Promise<void> {
  if (finds.length === 0) return;
  const text = `INSERT INTO sightings (chain_id, seen_at, ${FACT_NAMES})
    SELECT $1, $2, ${FACT_NAMES} FROM ${FACTS} AS found (${FACT_NAMES})
    ON CONFLICT (chain_id, transaction_hash, ordinal) DO UPDATE
    SET block_number = EXCLUDED.block_number, block_hash = EXCLUDED.block_hash, block_time = EXCLUDED.block_time,
      session_id = EXCLUDED.session_id, currency = EXCLUDED.currency, contract = EXCLUDED.contract,
      payer = EXCLUDED.payer, recipient = EXCLUDED.recipient, amount = EXCLUDED.amount, orphaned_at = NULL`;
  await tx.query({ name: 'sightings_store', text, values: [chainId, now, ...factValues(finds)] });
}

/** Marks the sightings up to a block that the final pass did not find again. */
export async function orphanUpTo(tx: Tx, chainId: number, block: number, now: Date): Promise<void> {
  const text = `UPDATE sightings SET orphaned_at = $3
    WHERE chain_id = $1 AND orphaned_at IS NULL AND block_number <= $2`;
  await tx.query({ name: 'sightings_orphan_to', text, values: [chainId, block, now] });
}

/** Marks the sightings above a block, whose chain is no longer the canonical one. */
export async function orphanAbove(db: Db, chainId: number, block: number, now: Date): Promise<void> {
  const text = `UPDATE sightings SET orphaned_at = $3
    WHERE chain_id = $1 AND orphaned_at IS NULL AND block_number > $2`;
  await db.query({ name: 'sightings_orphan_above', text, values: [chainId, block, now] });
}
