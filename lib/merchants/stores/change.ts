// Changes that owners make to a store. Each increments the version, so that an operator never decides about outdated data. No
// request can set the status.

import type { Context } from '@/lib/platform/context';
import { transaction } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { Stablecoin } from '@/lib/money/amounts';
import { LONGEST_DESCRIPTION, LONGEST_NAME } from './create';
import { auditStore, type Actor } from './actor';
import { checkStoreName, checkText, checkWebsite } from './fields';
import { markIdentityChanged } from './identity';

/** Absent fields stay; null clears an optional field. */
export type StoreChange = {
  readonly name?: string | undefined;
  readonly website?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly settlementCurrency?: Stablecoin | undefined;
  readonly usdCurrencies?: readonly Stablecoin[] | undefined;
  readonly networks?: readonly string[] | undefined;
  readonly acceptsOtherToken?: boolean | undefined;
};

/** Throws INVALID_PARAMETER, STORE_NOT_FOUND, or STORE_CHANGED when the store's version is not the one that was shown. */
export async function changeStore(
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  of: { storeId: string; version: number; change: StoreChange },
  actor: Actor,
): Promise<{ version: number }> {
  const columns = columnsOf(of.change);
  const names = Object.keys(columns);
  const { storeId, version } = of;
  if (names.length === 0) return { version };
  const sets = names.map((name, n) => `${name} = $${n + 3}`).join(', ');
  return transaction(pool, async (tx) => {
    const { rows } = await tx.query<Identity>(
      'SELECT name, website, description FROM stores WHERE id = $1 FOR NO KEY UPDATE',
      [storeId],
    );
    const { rowCount } = await tx.query(
      `UPDATE stores SET ${sets}, version = version + 1 WHERE id = $1 AND version = $2`,
      [storeId, version, ...Object.values(columns)],
    );
    if (rowCount !== 1) throw new ServiceError('STORE_CHANGED');
    const now = clock.now();
    const former = formerOf(rows[0], columns);
    if (Object.keys(former).length > 0) await markIdentityChanged(tx, storeId, now);
    const details = { fields: names, ...former };
    await auditStore(tx, actor, { storeId, action: 'store.change', target: storeId, details, now });
    return { version: version + 1 };
  });
}

type Identity = { readonly name: string; readonly website: string | null; readonly description: string | null };

/** The former values of changed fields that customers know the store by: `former_name` and so on. */
const formerOf = (before: Identity | undefined, columns: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(before ?? {})
      .filter(([field, value]) => field in columns && columns[field] !== value)
      .map(([field, value]) => [`former_${field}`, value ?? '']),
  );

/** Column names come from this code, never from a request. */
function columnsOf(change: StoreChange): Record<string, unknown> {
  const columns: Record<string, unknown> = {
    name: change.name === undefined ? undefined : checkStoreName('name', change.name, LONGEST_NAME),
    website: optional(change.website, (text) => checkWebsite('website', text)),
    description: optional(change.description, (text) => checkText('description', text, LONGEST_DESCRIPTION)),
    settlement_currency: change.settlementCurrency,
    usd_currencies: change.usdCurrencies,
    networks: change.networks,
    accepts_other_token: change.acceptsOtherToken,
  };
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined));
}

const optional = (value: string | null | undefined, check: (text: string) => string): string | null | undefined =>
  typeof value === 'string' ? check(value) : value;
