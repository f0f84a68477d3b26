// Keeps unused deposit addresses in the database, so that creating a session derives nothing and waits for nothing. The worker reserves
// and commits an index before it requests its addresses. A crash in between leaves a gap, which is harmless, and never uses an index
// twice, which would pay one customer's order with another's money. Any number of workers may run this at once.

import type { Config } from '@/lib/platform/config/config';
import type { Context, Step } from '@/lib/platform/context';
import { transaction, type Pool, type Tx } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { IS_MOVED, dropFormerForwarders, renewPool, safeNextIndex } from './address-pool-renew';
import {
  AddressSourceError,
  MAX_ADDRESSES,
  type AddressBatch,
  type AddressSource,
  type NewForwarders,
} from './address-source';
import { forwarderAddress } from '@/lib/networks/families/tron/sweeping/forwarders';
import { isPublicWallet, PUBLIC_WALLET } from './public-wallet';

// The first batch of an empty pool: small, so that it is ready soon. While sessions take all of it at once, as after a failover of the
// database, each further batch is twice as large.
const FIRST_BATCH = 20;

type Reservation = { readonly from: number; readonly count: number };

/** Milliseconds until the contract of pooled forwarders is read again. A change of the settings restarts the process, which reads it at once. */
const CONTRACT_LASTS = 15_000;

const NO_FORWARDERS: NewForwarders = async () => ({ factory: null, pooled: null });

/**
 * The step that fills the pool of each followed environment from `source` to ADDRESS_POOL_SIZE once it holds less than three quarters of
 * that. One run adds one batch per environment; `more` while one is short. Two workers at once may overfill by a batch. Addresses from a
 * backup are dropped first, and forwarders of a contract that gives no addresses any more. Throws AddressSourceError: retryable when the
 * signer is unreachable; otherwise an operator has to act.
 */
export function fillAddressPool(source: AddressSource, forwarders: NewForwarders = NO_FORWARDERS): Step {
  // Environments that fell below three quarters and are not full again, with the next batch of an empty pool. Losing this costs nothing.
  const filling = new Map<Environment, number>();
  const readAt = new Map<Environment, number>();
  /** Whether any was dropped. */
  async function dropFormer(context: Context, environment: Environment): Promise<boolean> {
    const now = context.clock.now().getTime();
    if (now - (readAt.get(environment) ?? Number.NEGATIVE_INFINITY) < CONTRACT_LASTS) return false;
    const { pooled } = await forwarders(context, environment);
    const dropped = await dropFormerForwarders(context, source, { environment, factory: pooled });
    readAt.set(environment, now);
    return dropped;
  }
  return async (context) => {
    const size = context.config.ADDRESS_POOL_SIZE;
    let counts = await countPool(context.pool);
    if (counts.stale > 0) {
      await renewPool(context, source);
      counts = await countPool(context.pool);
    }
    const faults: unknown[] = [];
    let dropped = false;
    for (const environment of environmentsOf(context.config).filter((one) => counts.forwarders.has(one))) {
      try {
        dropped = (await dropFormer(context, environment)) || dropped;
      } catch (error) {
        faults.push(error);
      }
    }
    if (dropped) counts = await countPool(context.pool);
    const { held } = counts;
    const short = environmentsOf(context.config).filter((environment) => {
      const count = held.get(environment) ?? 0;
      if (count >= size) filling.delete(environment);
      if (count * 4 < size * 3 && !filling.has(environment)) filling.set(environment, FIRST_BATCH);
      return filling.has(environment);
    });
    let more = false;
    for (const environment of short) {
      const count = held.get(environment) ?? 0;
      const batch = filling.get(environment) ?? FIRST_BATCH;
      const wanted = Math.min(size - count, count < FIRST_BATCH ? batch : MAX_ADDRESSES);
      try {
        const { factory } = await forwarders(context, environment);
        const added = await addBatch(context, source, { environment, wanted, factory });
        filling.set(environment, Math.min(2 * batch, MAX_ADDRESSES));
        if (count + added >= size) filling.delete(environment);
        else more = true;
      } catch (error) {
        // Fill the other environment all the same.
        faults.push(error);
      }
    }
    if (faults.length > 0) throw faults[0];
    return { more };
  };
}

/** The environments with a followed network. Only test when there is none, so that a pool is ready once one is configured. */
export function environmentsOf(config: Config): Environment[] {
  const settings = [...config.endpoints.keys()];
  const followed = (['live', 'test'] as const).filter((environment) =>
    settings.some((name) => name.startsWith(environment === 'live' ? 'LIVE_' : 'TEST_')),
  );
  return followed.length > 0 ? followed : ['test'];
}

type Counts = {
  readonly held: ReadonlyMap<Environment, number>;
  /** The environments with pooled forwarders. */
  readonly forwarders: ReadonlySet<Environment>;
  /** Addresses that another incarnation of the database pooled, or a restore wrote. Sessions never get them. */
  readonly stale: number;
};

async function countPool(pool: Pool): Promise<Counts> {
  const { rows } = await pool.query<{ environment: Environment; held: number; stale: number; has_forwarders: boolean }>(
    {
      name: 'address_pool_count',
      text: `SELECT environment, count(*) FILTER (WHERE is_current)::int AS held, count(*) FILTER (WHERE NOT is_current)::int AS stale,
             bool_or(is_current AND tron_factory IS NOT NULL) AS has_forwarders
           FROM (SELECT environment, tron_factory, incarnation = (SELECT pool_incarnation()) AND xmin = written_by AS is_current
                 FROM address_pool) AS pooled
           GROUP BY environment`,
    },
  );
  return {
    held: new Map(rows.map((row) => [row.environment, row.held])),
    forwarders: new Set(rows.flatMap((row) => (row.has_forwarders ? row.environment : []))),
    stale: rows.reduce((sum, row) => sum + row.stale, 0),
  };
}

async function addBatch(
  context: Context,
  source: AddressSource,
  { environment, wanted, factory }: { environment: Environment; wanted: number; factory: string | null },
): Promise<number> {
  if (environment === 'live' && (await isPublicWallet(source))) throw new AddressSourceError('unusable', PUBLIC_WALLET);
  const fingerprint = await source.fingerprint();
  const capacity = await source.capacity();
  const highest = await source.highestIndex();
  const reserved = await transaction(context.pool, (tx) =>
    reserve(tx, context, { fingerprint, capacity, highest, wanted }),
  );
  const batch = await source.addresses(reserved.from, reserved.count).catch(orNullIfUsed);
  // The source gave another worker's later batch first. These indexes stay unused, and the next run reserves higher ones.
  if (batch === null) return 0;
  checkBatch(batch, fingerprint, reserved);
  await insertBatch(context.pool, { environment, factory }, batch);
  const left = capacity - reserved.from - reserved.count;
  if (left < context.config.ADDRESS_POOL_SIZE) {
    context.log.warn(
      { left },
      'the wallet is nearly used up: append Solana public keys to its list and restart the worker',
    );
  }
  context.log.debug({ environment, ...reserved }, 'deposit addresses added to the pool');
  return reserved.count;
}

/** Takes the next indexes under the lock of the wallet's row; once this has committed, no other worker gets them. */
async function reserve(
  tx: Tx,
  context: Context,
  { fingerprint, capacity, highest, wanted }: Wanted,
): Promise<Reservation> {
  const wallet = (await lockWallet(tx)) ?? (await createWallet(tx, fingerprint));
  if (wallet.fingerprint !== fingerprint) {
    throw new AddressSourceError(
      'other_wallet',
      'The deposit addresses in this database come from another wallet than the configured one. Nothing is mixed: ' +
        'configure the keystore or xpubs that this database was started with, or start with a new database.',
    );
  }
  const from = await safeNextIndex(tx, context, { ...wallet, highest });
  const count = Math.min(wanted, capacity - from);
  if (count <= 0) {
    throw new AddressSourceError(
      'exhausted',
      `The wallet has no deposit address after index ${from - 1}: append keys to the list of Solana ` +
        'public keys and restart the worker.',
    );
  }
  await tx.query('UPDATE wallets SET next_index = $1 WHERE id = 1', [from + count]);
  return { from, count };
}

type Wanted = {
  readonly fingerprint: string;
  readonly capacity: number;
  readonly highest: number | null;
  readonly wanted: number;
};

type WalletRow = { fingerprint: string; next_index: number; is_moved: boolean };

/** `is_moved`: another database counted `next_index`. */
async function lockWallet(tx: Tx): Promise<WalletRow | null> {
  const { rows } = await tx.query<WalletRow>(
    `SELECT fingerprint, next_index, ${IS_MOVED} AS is_moved
     FROM wallets WHERE id = 1 FOR UPDATE`,
  );
  return rows[0] ?? null;
}

function orNullIfUsed(error: unknown): null {
  if (error instanceof AddressSourceError && error.fault === 'used') return null;
  throw error;
}

/** Creates the row at first use. If sessions or pooled addresses exist without it, their indexes count as used. */
async function createWallet(tx: Tx, fingerprint: string): Promise<WalletRow> {
  await tx.query(
    `INSERT INTO wallets (id, fingerprint, place, next_index)
     SELECT 1, $1, pool_place(pool_incarnation()), 1 + greatest(-1,
              (SELECT max(address_index) FROM sessions WHERE environment = 'test'),
              (SELECT max(address_index) FROM sessions WHERE environment = 'live'), (SELECT max(address_index) FROM address_pool))
     ON CONFLICT (id) DO NOTHING`,
    [fingerprint],
  );
  return (await lockWallet(tx)) as WalletRow;
}

/** Accepts a batch only when it is exactly what was reserved, from the wallet that it was reserved for. */
function checkBatch(batch: AddressBatch, fingerprint: string, reserved: Reservation): void {
  if (batch.fingerprint !== fingerprint) {
    throw new AddressSourceError('other_wallet', 'The signer changed its wallet while addresses were being drawn.');
  }
  const isRequested = batch.addresses.every(({ index }, at) => index === reserved.from + at);
  if (!isRequested || batch.addresses.length !== reserved.count) {
    throw new AddressSourceError('contradiction', 'The source returned indexes other than the requested ones.');
  }
}

async function insertBatch(
  pool: Pool,
  { environment, factory }: { readonly environment: Environment; readonly factory: string | null },
  { addresses }: AddressBatch,
): Promise<void> {
  await pool.query({
    name: 'address_pool_insert',
    text: `INSERT INTO address_pool (environment, tron_factory, address_index, evm_address, tron_address, solana_address)
           SELECT $1::"Environment", $6::text, * FROM unnest($2::int[], $3::text[], $4::text[], $5::text[])`,
    values: [
      environment,
      addresses.map(({ index }) => index),
      addresses.map(({ evm }) => evm),
      addresses.map(({ evm, tron }) => (factory === null ? tron : forwarderAddress(factory, evm))),
      addresses.map(({ solana }) => solana),
      factory,
    ],
  });
}
