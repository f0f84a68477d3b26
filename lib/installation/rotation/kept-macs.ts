// Every column that keeps a MAC under EVIDENCE_KEY. A key may go only when no row of these needs it, so a test compares the list with the
// schema and with every file that makes such a MAC.

import { FAMILIES } from '@/lib/networks/families/family';
import { NETWORKS } from '@/lib/networks/networks';
import { isAnnounced, noticeMac as addressMac, type AnnouncedAddress } from '@/lib/payouts/addresses/notice-mac';
import type { MacKeys } from '@/lib/platform/crypto';
import type { Environment } from '@/lib/platform/ids';
import { backingMac, isBacking, keptOf, type Store } from '@/lib/refunds/approval/store-received';
import { transferFacts, type TransferColumns } from '@/lib/refunds/destination/payers';
import type { Destination } from '@/lib/refunds/rows';
import { destinationMac, isNotice, isSettled, noticeMac } from '@/lib/refunds/sending/worker-macs';
import { isAttested, transferMac, type TransferFacts } from '@/lib/signer/attestations/payer-evidence';
import { isOutcome, makeOutcome, type Outcome } from '@/lib/signer/attestations/refund-evidence';

/** What a row's MAC covers, as two functions of the keys. */
type Covered = {
  readonly isUnder: (keys: MacKeys) => boolean;
  readonly made: (keys: MacKeys) => Buffer;
};

export type KeptMac = {
  readonly table: string;
  readonly column: string;
  /** Reads the rows with an id above $1, or all from the first one when it is null, with their id as `id` and the MAC as `mac`. */
  readonly read: string;
  /** Writes $3 where the row $1 still has $2. */
  readonly write: string;
  /** Null when the row cannot be what the service stored. */
  readonly coveredBy: (row: Row) => Covered | null;
};

/** A row of `read`. Each entry of the list knows the types of its own columns. */
export type Row = { readonly id: string; readonly mac: Buffer } & Readonly<Record<string, unknown>>;

const after = (id: string, type: string): string => `($1::${type} IS NULL OR ${id} > $1)`;
const update = (table: string, column: string, idType: string): string =>
  `UPDATE ${table} SET ${column} = $3 WHERE id = $1::${idType} AND ${column} = $2`;

const transfers: KeptMac = {
  table: 'transfers',
  column: 'mac',
  read: `SELECT t.id, c.environment, c.genesis, t.network, t.session_id, t.transaction_hash, t.ordinal, t.block_number, t.block_hash,
           t.block_time, t.currency, t.contract, t.payer, t.recipient, t.amount, t.decimals, t.is_plain, t.mac
         FROM transfers t JOIN chains c ON c.id = t.chain_id WHERE t.mac IS NOT NULL AND ${after('t.id', 'bigint')} ORDER BY t.id`,
  write: update('transfers', 'mac', 'bigint'),
  coveredBy: (row) => {
    const { environment, session_id: sessionId, ...columns } = row as unknown as TransferColumns & Named;
    return transferCovered(transferFacts({ environment, sessionId }, columns), row.mac);
  },
};

type Named = { readonly environment: Environment; readonly session_id: string };

const transferCovered = (facts: TransferFacts, mac: Uint8Array): Covered => ({
  isUnder: (keys) => isAttested(keys, facts, mac),
  made: (keys) => transferMac(keys, facts),
});

/** Transfers that could not be stored yet keep their MAC among their facts. */
const quarantine: KeptMac = {
  table: 'quarantine',
  column: 'facts',
  read: `SELECT q.id, c.environment, c.genesis, q.facts, decode(q.facts->>'mac', 'hex') AS mac
         FROM quarantine q JOIN chains c ON c.id = (q.facts->>'chainId')::int
         WHERE q.kind = 'transfer' AND q.resolved_at IS NULL AND q.facts->>'mac' ~ '^([0-9a-f]{2})+$' AND ${after('q.id', 'bigint')} ORDER BY q.id`,
  write: `UPDATE quarantine SET facts = jsonb_set(facts::jsonb, '{mac}', to_jsonb(encode($3::bytea, 'hex')))
          WHERE id = $1::bigint AND facts->>'mac' = encode($2::bytea, 'hex')`,
  coveredBy: (row) => {
    const { facts, environment, genesis } = row as unknown as Pick<TransferFacts, 'environment' | 'genesis'> & {
      readonly facts: Omit<TransferFacts, 'amount'> & { readonly amount: string };
    };
    return transferCovered({ ...facts, environment, genesis, amount: BigInt(facts.amount) }, row.mac);
  },
};

/**
 * Of payments that may still be sent. Their status never changes once they are closed, so that a MAC of a closed one is not read again. A
 * refused attempt leaves its MAC when the customer's address replaces the destination.
 */
const destinationOf = (table: 'refunds' | 'payouts' | 'cold_transfers'): KeptMac => ({
  table,
  column: 'destination_mac',
  read: `SELECT id, environment, network, currency, amount::text, destination AS address, destination_kind AS kind,
           destination_reference AS reference, destination_mac AS mac
         FROM ${table} WHERE (status IN ('pending', 'processing') OR to_release) AND destination IS NOT NULL
           AND destination_mac IS NOT NULL AND ${after('id', 'text')} ORDER BY id`,
  write: update(table, 'destination_mac', 'text'),
  coveredBy: (row) => {
    const { amount, mac, ...facts } = row as unknown as Payment & { readonly mac: Buffer };
    const { address, kind, reference } = row as unknown as Destination;
    if (address === null || reference === null) return null;
    const destination = { address, kind, reference };
    const payment = { ...facts, amount: BigInt(amount) };
    return {
      isUnder: (keys) => isSettled(keys, { ...payment, destination, destinationMac: mac }),
      made: (keys) => destinationMac(keys, payment, destination),
    };
  },
});

type Payment = {
  readonly id: string;
  readonly environment: Environment;
  readonly network: string;
  readonly currency: string;
  readonly amount: string;
};

/** Of refunds that are not closed. The notice does not say which address it is about, so it is each one that the customer gave. */
const addressNotices: KeptMac = {
  table: 'refund_address_notices',
  column: 'mac',
  read: `SELECT n.refund AS id, n.mac, n.pay_after AS "payAfter", r.environment, r.network, r.currency, r.amount::text,
           array_remove(ARRAY(SELECT a.address FROM refund_addresses a WHERE a.intent_id = r.id
             OR (a.intent_id IS NULL AND a.session_id = r.session_id AND a.network = r.network)) || r.destination, NULL) AS addresses
         FROM refund_address_notices n JOIN refunds r ON r.id = n.refund
         WHERE r.status IN ('pending', 'processing') AND ${after('n.refund', 'text')} ORDER BY n.refund`,
  write: 'UPDATE refund_address_notices SET mac = $3 WHERE refund = $1 AND mac = $2',
  coveredBy: (row) => {
    const { addresses, payAfter, amount, ...facts } = row as unknown as Payment & {
      readonly addresses: readonly string[];
      readonly payAfter: Date;
    };
    const payment = { ...facts, amount: BigInt(amount) };
    const notices = ordered(addresses, facts.network).map((address) => ({ address, payAfter }));
    return {
      isUnder: (keys) => notices.some((notice) => isNotice(keys, payment, notice, row.mac)),
      // Only called for keys that one of them is under.
      made: (keys) => {
        const found = notices.find((notice) => isNotice(keys, payment, notice, row.mac));
        if (!found) throw new Error(`the notice of ${row.id} is under none of the keys`);
        return noticeMac(keys, payment, found);
      },
    };
  },
};

/** The addresses in the form that the payment order has. */
function ordered(addresses: readonly string[], network: string): readonly string[] {
  const spec = NETWORKS.find((one) => one.network === network);
  return spec ? addresses.map((address) => FAMILIES[spec.family].storedAddress(address)) : addresses;
}

const payoutAddresses: KeptMac = {
  table: 'payout_addresses',
  column: 'notice_mac',
  read: `SELECT id, store_id AS "storeId", environment, network, address, pay_after AS "payAfter", notice_mac AS mac
         FROM payout_addresses WHERE notice_mac IS NOT NULL AND ${after('id', 'text')} ORDER BY id`,
  write: update('payout_addresses', 'notice_mac', 'text'),
  coveredBy: (row) => {
    const announced = row as unknown as AnnouncedAddress;
    return {
      isUnder: (keys) => isAnnounced(keys, announced, row.mac),
      made: (keys) => addressMac(keys, announced),
    };
  },
};

const BACKING_ID = `store_id || ' ' || environment::text`;

const payoutBacking: KeptMac = {
  table: 'payout_backing',
  column: 'mac',
  read: `SELECT ${BACKING_ID} AS id, store_id AS "storeId", environment, entry_id::text, entry_at, sums, mac
         FROM payout_backing WHERE ${after(BACKING_ID, 'text')} ORDER BY ${BACKING_ID}`,
  write: `UPDATE payout_backing SET mac = $3 WHERE ${BACKING_ID} = $1 AND mac = $2`,
  coveredBy: (row) => {
    const of = row as unknown as Store;
    const kept = keptOf(row as unknown as Parameters<typeof keptOf>[0]);
    return { isUnder: (keys) => isBacking(keys, of, kept, row.mac), made: (keys) => backingMac(keys, of, kept) };
  },
};

/** The outcome that a drafted attempt brings to the signer. One that is signed or closed is not sent again. */
const lapsedOutcomes: KeptMac = {
  table: 'refund_attempts',
  column: 'lapsed',
  read: `SELECT a.id, c.environment, a.lapsed, decode(a.lapsed->>'mac', 'hex') AS mac
         FROM refund_attempts a JOIN chains c ON c.id = a.chain_id
         WHERE a.ended_at IS NULL AND a.status = 'drafted' AND a.lapsed->>'mac' ~ '^([0-9a-f]{2})+$' AND ${after('a.id', 'bigint')} ORDER BY a.id`,
  write: `UPDATE refund_attempts SET lapsed = jsonb_set(lapsed::jsonb, '{mac}', to_jsonb(encode($3::bytea, 'hex')))
          WHERE id = $1::bigint AND status = 'drafted' AND lapsed->>'mac' = encode($2::bytea, 'hex')`,
  coveredBy: (row) => {
    const { environment, lapsed } = row as unknown as { readonly environment: Environment; readonly lapsed: Outcome };
    const { mac: _, ...facts } = lapsed;
    return {
      isUnder: (keys) => isOutcome(keys, environment, lapsed),
      made: (keys) => Buffer.from(makeOutcome(keys, environment, facts).mac, 'hex'),
    };
  },
};

/** Quarantined transfers first: the worker may move one to `transfers` meanwhile, where it is then met. */
export const KEPT_MACS: readonly KeptMac[] = [
  quarantine,
  transfers,
  ...(['refunds', 'payouts', 'cold_transfers'] as const).map(destinationOf),
  addressNotices,
  payoutAddresses,
  payoutBacking,
  lapsedOutcomes,
];
