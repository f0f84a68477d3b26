// Quarantine rows of what the watcher could not store, and the step that retries them. A quarantined transfer keeps its facts and
// the MAC that the watcher computed for it, because they are stored nowhere else.

import { z } from 'zod';
import type { Context } from '@/lib/platform/context';
import { transaction, type Tx } from '@/lib/platform/database/db';
import type { Log } from '@/lib/platform/log';
import { eachAlone, endQuarantine, queueAlone, type Subject } from '@/lib/platform/database/quarantine';
import { settleOneByOne } from '@/lib/payments/sessions/settle/one-by-one';
import { storeOutgoing } from './outgoing';
import {
  placeOf,
  storeUnconfirmed,
  storeTransfers,
  type SessionTransfer,
  type OpenUnconfirmedTransfer,
  type ProvenTransfer,
} from './store';

/** Transfers of all kinds retried in one run. */
const MAX_AT_ONCE = 50;
/** One worker at a time retries a row; a worker that is silent for longer is considered dead. */
const LEASE_SECONDS = 60;

/** The session does not expire before the transfer is stored. */
export const transferSubject = (proven: ProvenTransfer): Subject => ({
  kind: 'transfer',
  id: placeOf(proven.chainId, proven),
  network: proven.network,
  sessionId: proven.sessionId,
  facts: { ...proven, amount: String(proven.amount), mac: proven.mac?.toString('hex') ?? null },
});

export const unconfirmedSubject = (
  chainId: number,
  unconfirmed: SessionTransfer | OpenUnconfirmedTransfer,
): Subject => ({
  kind: 'unconfirmed_transfer',
  id: placeOf(chainId, unconfirmed),
  facts: {
    chainId,
    ...unconfirmed,
    ...('amount' in unconfirmed ? { amount: String(unconfirmed.amount) } : {}),
  },
});

/** An address whose token accounts could not be read, or whose account cursors could not be stored. Its session does not expire. */
export const accountSubject = (
  { chainId, network }: { readonly chainId: number; readonly network: string },
  { owner, sessionId }: { readonly owner: string; readonly sessionId: string },
): Subject => ({ kind: 'account', id: accountId(chainId, owner), network, sessionId });

export const accountId = (chainId: number, owner: string): string => `${chainId} ${owner}`;

const place = z.object({ chainId: z.int(), sessionId: z.string(), transactionHash: z.string(), ordinal: z.int() });
const foundTransfer = place.extend({
  blockNumber: z.int(),
  blockHash: z.string(),
  blockTime: z.int(),
  currency: z.string(),
  contract: z.string(),
  payer: z.string(),
  recipient: z.string(),
  amount: z.string().regex(/^\d+$/).transform(BigInt),
  isPlain: z.boolean(),
});
const outgoing = foundTransfer.extend({ network: z.string(), decimals: z.int() });
const transfer = foundTransfer.extend({
  network: z.string(),
  decimals: z.int(),
  mac: z
    .string()
    .regex(/^[0-9a-f]+$/)
    .transform((hex) => Buffer.from(hex, 'hex'))
    .nullable(),
});

type Row = {
  readonly kind: 'transfer' | 'outgoing_transfer' | 'unconfirmed_transfer';
  readonly id: string;
  readonly step: string;
  readonly facts: unknown;
};

/** A step of the worker: stores due quarantined transfers and unconfirmed transfers, and settles the sessions of the final ones. */
export async function storeQuarantined(context: Context): Promise<{ more: boolean }> {
  const { rows } = await context.pool.query<Row>({
    name: 'finds-quarantined',
    text: `UPDATE quarantine SET next_run_at = $1::timestamptz + interval '${LEASE_SECONDS} seconds'
           WHERE id IN (SELECT id FROM quarantine WHERE kind IN ('transfer', 'outgoing_transfer', 'unconfirmed_transfer') AND resolved_at IS NULL
                          AND next_run_at <= $1 ORDER BY next_run_at, id LIMIT ${MAX_AT_ONCE} FOR UPDATE SKIP LOCKED)
           RETURNING kind, subject_id AS id, step, facts`,
    values: [context.clock.now()],
  });
  for (const row of rows) await eachAlone(context, row.step, [withoutFacts(row)], () => storeOne(context, row));
  return { more: rows.length === MAX_AT_ONCE };
}

/** A failed retry must not overwrite the facts in the quarantine. */
const withoutFacts = ({ kind, id }: Row): Subject => ({ kind, id });

async function storeOne(context: Context, { kind, id, step, facts }: Row): Promise<void> {
  const now = context.clock.now();
  const sessions = await transaction(context.pool, async (tx) => {
    const stored = kind === 'transfer' ? await storeTransfers(tx, [transfer.parse(facts)], now) : [];
    if (kind === 'outgoing_transfer') await storeOutgoing(tx, [outgoing.parse(facts)], now);
    if (kind === 'unconfirmed_transfer') await storeUnconfirmedTransfer(tx, facts, { now, log: context.log });
    for (const session of stored) await queueAlone(tx, step, { kind: 'session', id: session }, now);
    await endQuarantine(tx, { kind, ids: [id], now });
    return stored;
  });
  await settleOneByOne(context, step, sessions);
}

/** Above finality it is stored for display. Below, the final pass has already credited or orphaned it. */
async function storeUnconfirmedTransfer(tx: Tx, facts: unknown, { now, log }: { now: Date; log: Log }): Promise<void> {
  const { chainId, transactionHash, ordinal } = place.parse(facts);
  const { rows } = await tx.query<{ final_number: string | null }>({
    name: 'unconfirmed-transfer-chain',
    text: 'SELECT final_number FROM chains WHERE id = $1 AND retired_at IS NULL FOR SHARE',
    values: [chainId],
  });
  const whole = foundTransfer.safeParse(facts);
  const final = rows[0]?.final_number;
  if (whole.success && final && whole.data.blockNumber > Number(final)) {
    await storeUnconfirmed(tx, { chainId, foundTransfers: [whole.data], now, log });
    return;
  }
  await tx.query({
    name: 'unconfirmed-transfer-give-up',
    text: `UPDATE unconfirmed_transfers SET orphaned_at = $4 WHERE chain_id = $1 AND transaction_hash = $2 AND ordinal = $3
             AND orphaned_at IS NULL`,
    values: [chainId, transactionHash, ordinal, now],
  });
}
