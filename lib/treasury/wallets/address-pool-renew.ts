// Takes addresses out of the pool that sessions must not get any more. Forwarders on TRON leave it when the settings or the signer name
// another contract or none, because their money would reach the former treasury. In a restored database the pooled addresses may have been
// assigned since the backup, and the next index may have been used. With a signer, both are fixed without a person: the signer remembers the
// highest index that it gave. Where its journal may come from the same backup, many indexes are skipped. A watch-only wallet remembers
// nothing, so an operator has to state the next index.

import { recordAudit } from '@/lib/merchants/audit/record';
import type { Context } from '@/lib/platform/context';
import { transaction, type Tx } from '@/lib/platform/database/db';
import type { Environment } from '@/lib/platform/ids';
import { AddressSourceError, MAX_ADDRESSES, type AddressSource } from './address-source';

/**
 * SQL about a row of `wallets`: whether another database counted the next index. A restored row names a transaction other than the one that
 * wrote it; VACUUM FULL and a restart keep that. A trigger maintains `written_by` when the row is updated.
 */
export const IS_MOVED = '(place IS DISTINCT FROM pool_place(pool_incarnation()) OR xmin <> written_by)';

/** More indexes than an installation assigns between a backup and its use. */
const INDEXES_SKIPPED = 1_000_000;

type Deps = Pick<Context, 'pool' | 'clock' | 'log'>;

/**
 * Drops the addresses that another incarnation of the database pooled. A watch-only wallet's addresses are scarce, so those that only went
 * through a restart of PostgreSQL are kept. Throws AddressSourceError: `restored` for a watch-only wallet in another database.
 */
export async function renewPool(deps: Deps, source: AddressSource): Promise<void> {
  const isCounted = (await source.highestIndex()) !== null;
  await transaction(deps.pool, async (tx) => {
    // Lock the wallet's row first, as reserving indexes does.
    await tx.query('SELECT FROM wallets WHERE id = 1 FOR UPDATE');
    if (!isCounted) await keepAfterRestart(tx);
    const { rowCount } = await tx.query(
      'DELETE FROM address_pool WHERE incarnation <> pool_incarnation() OR xmin <> written_by',
    );
    if (!rowCount) return;
    deps.log.warn({ dropped: rowCount }, 'unused deposit addresses from before a restart or a restore were dropped');
    await audit(tx, deps, 'addresses.drop', { dropped: rowCount });
  });
}

type Former = {
  readonly environment: Environment;
  /** The contract whose forwarders stay; null for none. */
  readonly factory: string | null;
};

/** SQL about a row of `address_pool`: a forwarder that sessions of $1 could get, of another contract than $2. */
const IS_FORMER = `environment = $1::"Environment" AND tron_factory IS NOT NULL AND tron_factory IS DISTINCT FROM $2::text
  AND incarnation = pool_incarnation() AND xmin = written_by`;

/**
 * Takes the pooled forwarders of all contracts but one out of the pool. Those of a watch-only wallet, whose addresses are scarce, become
 * addresses of its keys. Whether there were any.
 */
export async function dropFormerForwarders(
  { pool, log }: Deps,
  source: AddressSource,
  { environment, factory }: Former,
): Promise<boolean> {
  const isUncounted = (await source.highestIndex().catch(orNotUsable)) === null;
  const kept = isUncounted ? await giveKeys(pool, source, { environment, factory }).catch(orNotUsable) : 0;
  const { rowCount } = await pool.query({
    name: 'address_pool_drop_former',
    text: `DELETE FROM address_pool WHERE ${IS_FORMER}`,
    values: [environment, factory],
  });
  const dropped = rowCount ?? 0;
  if (kept + dropped === 0) return false;
  log.warn({ environment, dropped, kept }, 'unused deposit addresses of a former contract on TRON were taken back');
  return true;
}

/** No address stays in the pool because its source does not answer: a customer would pay the former treasury. */
function orNotUsable(error: unknown): 0 {
  if (error instanceof AddressSourceError) return 0;
  throw error;
}

/** How many rows it changed. It leaves those that are not of this wallet, or that the list of keys no longer has. */
async function giveKeys(pool: Deps['pool'], source: AddressSource, { environment, factory }: Former): Promise<number> {
  const { rows } = await pool.query<{ index: number }>({
    name: 'address_pool_former',
    text: `SELECT address_index AS index FROM address_pool WHERE ${IS_FORMER} AND address_index < $3 ORDER BY address_index`,
    values: [environment, factory, await source.capacity()],
  });
  let changed = 0;
  for (let at = 0; at < rows.length; at += MAX_ADDRESSES) {
    const addresses = [];
    for (const { index } of rows.slice(at, at + MAX_ADDRESSES))
      addresses.push(...(await source.addresses(index, 1)).addresses);
    const { rowCount } = await pool.query({
      name: 'address_pool_give_keys',
      // A session that takes one meanwhile has deleted the row.
      text: `UPDATE address_pool p SET tron_address = e.tron, tron_factory = NULL, written_by = pg_current_xact_id()::xid
             FROM unnest($3::int[], $4::text[], $5::text[]) AS e (index, evm, tron)
             WHERE ${IS_FORMER} AND p.address_index = e.index AND p.evm_address = e.evm`,
      values: [
        environment,
        factory,
        addresses.map(({ index }) => index),
        addresses.map(({ evm }) => evm),
        addresses.map(({ tron }) => tron),
      ],
    });
    changed += rowCount ?? 0;
  }
  return changed;
}

async function keepAfterRestart(tx: Tx): Promise<void> {
  const { rows } = await tx.query<{ is_moved: boolean }>(`SELECT ${IS_MOVED} AS is_moved FROM wallets WHERE id = 1`);
  if (rows[0]?.is_moved) throw restored();
  await tx.query(`UPDATE address_pool SET incarnation = pool_incarnation(), written_by = pg_current_xact_id()::xid
                  WHERE pool_place(incarnation) = pool_place(pool_incarnation()) AND xmin = written_by`);
}

/** The next index that was certainly never given. Throws AddressSourceError `restored` when it cannot be determined. */
export async function safeNextIndex(
  tx: Tx,
  deps: Pick<Deps, 'clock' | 'log'>,
  wallet: { readonly next_index: number; readonly is_moved: boolean; readonly highest: number | null },
): Promise<number> {
  const { next_index: next, is_moved: isMoved, highest } = wallet;
  if (highest === null && isMoved) throw restored();
  if (isMoved) await tx.query('UPDATE wallets SET place = pool_place(pool_incarnation()) WHERE id = 1');
  // The worker commits a reservation before it requests the addresses, so only another database's signer can be ahead of this one. Where the
  // database was restored, the signer's journal may come from the same backup, and neither knows what was given since.
  const known = highest === null ? next : Math.max(next, highest + 1);
  const to = isMoved ? known + INDEXES_SKIPPED : known;
  if (to === next) return next;
  deps.log.warn({ next, highest, to }, 'deposit addresses are skipped: this database may not know the last ones');
  await audit(tx, deps, 'addresses.skip', { from: next, to });
  return to;
}

/** Lets a watch-only wallet continue in a restored database: `next` is above every index that was ever assigned. */
export async function setNextIndex(
  { pool, clock }: Omit<Deps, 'log'>,
  next: number,
): Promise<'stated' | 'lower' | 'none'> {
  return transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ next_index: number }>('SELECT next_index FROM wallets WHERE id = 1 FOR UPDATE');
    const [wallet] = rows;
    if (!wallet) return 'none';
    if (next < wallet.next_index) return 'lower';
    await tx.query('UPDATE wallets SET next_index = $1, place = pool_place(pool_incarnation()) WHERE id = 1', [next]);
    await tx.query('DELETE FROM address_pool WHERE address_index < $1', [next]);
    await audit(tx, { clock }, 'addresses.state', { from: wallet.next_index, to: next });
    return 'stated';
  });
}

const restored = (): AddressSourceError =>
  new AddressSourceError(
    'restored',
    'This database was restored or moved, and a watch-only wallet does not know which deposit addresses were handed out since. ' +
      'Run `npm run addresses -- next-index N` with N above every index that was ever used.',
  );

const audit = (
  tx: Tx,
  { clock }: Pick<Deps, 'clock'>,
  action: string,
  details: Record<string, number>,
): Promise<void> =>
  recordAudit(tx, { actor: 'worker', storeId: null, action, target: 'wallet', details, address: '', now: clock.now() });
