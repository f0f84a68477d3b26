// Replay protection: the database spends a request nonce once per key, in the transaction of the request's effect. Every
// statement with such an effect begins with the fragments here. A request that is refused earlier, or in that transaction,
// spends its nonce with a separate statement. Spent nonces are deleted in bulk.

import type { Context } from '@/lib/platform/context';
import type { Db } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { MerchantKey } from './verify-key';
import type { SIGNATURE_INPUT } from './message-signature';
import { isOpenIn } from '@/lib/merchants/stores/store-status';

/** A key as one request used it. */
export type Caller = {
  readonly key: MerchantKey;
  readonly nonce: string;
  /** Of the request, as its answer says. */
  readonly requestId?: string;
  /** The trace of the request, where traces are exported. */
  readonly traceparent?: string | undefined;
  /** The header that carried the nonce. Defaults to X-Service-Nonce. */
  readonly nonceHeader?: typeof SIGNATURE_INPUT;
  /** The caller from which this one was derived, with other store settings for this one request. */
  readonly original?: Caller;
};

/**
 * Common table expressions over $1 (key id) and $2 (nonce). `usable` has a row while the key is valid. `alive` has it, with the
 * store's limits, while the store may also act. `spent` has one when the nonce was new. A statement that begins with them has
 * its effect only `WHERE EXISTS (SELECT FROM spent)`.
 */
export const SPEND_NONCE = `
  usable AS (SELECT k.id, s.session_limit, s.day_limit, ${isOpenIn('k.environment')} AS is_open
             FROM api_keys k JOIN stores s ON s.id = k.store_id
             WHERE k.id = $1 AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())),
  alive AS (SELECT id, session_limit, day_limit FROM usable WHERE is_open),
  spent AS (INSERT INTO nonces (key_id, nonce) SELECT id, $2 FROM alive ON CONFLICT DO NOTHING RETURNING 1)`;
/** The columns that `checkSpent` reads. */
export const SPENT_COLUMNS = `EXISTS (SELECT FROM usable) AS usable, EXISTS (SELECT FROM alive) AS alive, EXISTS (SELECT FROM spent) AS spent`;
export type SpentRow = { readonly usable: boolean; readonly alive: boolean; readonly spent: boolean };

/** The requests whose statement found the nonce new, whether or not its transaction committed. */
const found = new WeakSet<Caller>();

/** Throws when the statement found that the key was revoked, the store became inactive, or the nonce was used. */
export function checkSpent(row: SpentRow, caller: Caller): void {
  if (!row.usable) throw new ServiceError('invalid_api_key');
  if (!row.alive) throw new ServiceError('store_not_active');
  if (!row.spent) throw nonceReused(caller);
  found.add(caller.original ?? caller);
}

/**
 * Spends the nonce of a refused request, so that its headers cannot be replayed with another path. Throws nonce_reused when an
 * earlier request spent it. One statement, and only for refusals.
 */
export async function spendRefused({ pool }: Pick<Context, 'pool'>, caller: Caller): Promise<void> {
  const { rowCount } = await pool.query({
    name: 'spend-refused-nonce',
    text: 'INSERT INTO nonces (key_id, nonce) VALUES ($1, $2) ON CONFLICT DO NOTHING',
    values: [caller.key.id, caller.nonce],
  });
  if (rowCount === 0 && !found.has(caller)) throw nonceReused(caller);
}

const nonceReused = ({ nonceHeader }: Caller): ServiceError =>
  nonceHeader === undefined
    ? new ServiceError('nonce_reused', { param: 'X-Service-Nonce' })
    : new ServiceError('nonce_reused', {
        param: nonceHeader,
        message: 'The nonce of the signature was used before with this key. Send a new one with every request.',
      });

/** Spends the nonce inside a transaction of several statements. */
export async function spendNonce(tx: Db, caller: Caller): Promise<void> {
  const { rows } = await tx.query<SpentRow>({
    name: 'spend-nonce',
    text: `WITH ${SPEND_NONCE} SELECT ${SPENT_COLUMNS}`,
    values: [caller.key.id, caller.nonce],
  });
  checkSpent(rows[0] as SpentRow, caller);
}

/** Longer than the validity of any timestamp (600 s), with room for a clock that was set. */
const KEPT_MINUTES = 30;
const IDEMPOTENCY_HOURS = 24;

/** Rows of one deletion. Small batches end long before the statement timeout. */
const CLEARED_AT_ONCE = 50_000;

const clearing = (table: string, column: string, age: string): string =>
  `DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${table} WHERE ${column} < now() - interval '${age}' LIMIT ${CLEARED_AT_ONCE}))`;
const CLEAR_NONCES = clearing('nonces', 'spent_at', `${KEPT_MINUTES} minutes`);
const CLEAR_IDEMPOTENCY_KEYS = clearing('idempotency_keys', 'created_at', `${IDEMPOTENCY_HOURS} hours`);

/** A step of the worker: deletes nonces and idempotency answers that have expired. */
export async function clearSpent({ pool }: Pick<Context, 'pool'>): Promise<{ more: boolean }> {
  const done = await Promise.allSettled([pool.query(CLEAR_NONCES), pool.query(CLEAR_IDEMPOTENCY_KEYS)]);
  const failed = done.find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
  return { more: done.some((one) => one.status === 'fulfilled' && one.value.rowCount === CLEARED_AT_ONCE) };
}
