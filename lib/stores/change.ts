// What its owners change about a store. Each change makes it another version, so that an operator never decides about what is no
// longer there; the status is nobody's to send (hardening D-26).

import type { Context } from '@/lib/context';
import { transaction } from '@/lib/db';
import { ServiceError } from '@/lib/errors';
import type { Stablecoin } from '@/lib/money';
import { LONGEST_DESCRIPTION, LONGEST_NAME } from './create';
import { auditStore, type Doer } from './doer';
import { checkText, checkWebsite } from './fields';

/** Fields that are not given stay; null empties one that may be empty. */
export type StoreChange = {
  readonly name?: string | undefined;
  readonly website?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly settlementCurrency?: Stablecoin | undefined;
  readonly usdCurrencies?: readonly Stablecoin[] | undefined;
  readonly networks?: readonly string[] | undefined;
  readonly acceptsOtherToken?: boolean | undefined;
};

/** Throws INVALID_PARAMETER, STORE_NOT_FOUND, or STORE_CHANGED when it is not of the version that was shown. */
export async function changeStore(
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  of: { storeId: string; version: number; change: StoreChange },
  doer: Doer,
): Promise<{ version: number }> {
  const columns = columnsOf(of.change);
  const names = Object.keys(columns);
  const { storeId, version } = of;
  if (names.length === 0) return { version };
  const sets = names.map((name, n) => `${name} = $${n + 3}`).join(', ');
  return transaction(pool, async (tx) => {
    const { rowCount } = await tx.query(
      `UPDATE stores SET ${sets}, version = version + 1 WHERE id = $1 AND version = $2`,
      [storeId, version, ...Object.values(columns)],
    );
    if (rowCount !== 1) throw new ServiceError('STORE_CHANGED');
    const details = { fields: names };
    await auditStore(tx, doer, { storeId, action: 'store.change', target: storeId, details, now: clock.now() });
    return { version: version + 1 };
  });
}

/** The columns' names are ours, never a sender's. */
function columnsOf(change: StoreChange): Record<string, unknown> {
  const columns: Record<string, unknown> = {
    name: change.name === undefined ? undefined : checkText('name', change.name, LONGEST_NAME),
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
