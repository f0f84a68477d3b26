// What a store may offer: the pairs of network and token that the operator allows, for example USDC only (none means all), and the rules of its
// owner by the customer's country. New sessions follow both within a second; open ones keep what they offered.

import type { Context } from '@/lib/platform/context';
import { transaction } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { countryRulesText, parseCountryRules, type CountryRule } from '@/lib/platform/countries/rules';
import { auditStore, type Actor } from './actor';

/** Throws STORE_CHANGED for another version than was shown. */
export async function setAllowedPairs(
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  {
    storeId,
    version,
    pairs,
  }: { readonly storeId: string; readonly version: number; readonly pairs: readonly string[] },
  actor: Actor,
): Promise<{ version: number }> {
  const to = [...new Set(pairs)].toSorted();
  return transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ former: string[] }>({
      name: 'store-allowed-pairs',
      text: `UPDATE stores s SET allowed_pairs = $3, version = s.version + 1
             FROM (SELECT id, allowed_pairs AS former FROM stores WHERE id = $1 FOR UPDATE) AS before
             WHERE s.id = before.id AND s.version = $2 RETURNING before.former`,
      values: [storeId, version, to],
    });
    const [row] = rows;
    if (!row) throw new ServiceError('STORE_CHANGED');
    const details = { from: row.former, to };
    await auditStore(tx, actor, { storeId, action: 'store.pairs', target: storeId, details, now: clock.now() });
    return { version: version + 1 };
  });
}

const TOO_LONG = {
  message:
    'The rules are too long: all of them together may have 5,000 characters. Name a group such as EEA instead of its countries.',
};

/** Throws STORE_CHANGED for another version than was shown, and INVALID_PARAMETER for rules that are too long to be stored. */
export async function setCountryRules(
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  {
    storeId,
    version,
    rules,
  }: { readonly storeId: string; readonly version: number; readonly rules: readonly CountryRule[] },
  actor: Actor,
): Promise<{ version: number }> {
  const to = countryRulesText(rules);
  if (!parseCountryRules(to)) throw new ServiceError('INVALID_PARAMETER', TOO_LONG);
  return transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ former: string }>({
      name: 'store-country-rules',
      text: `UPDATE stores s SET country_rules = $3, version = s.version + 1
             FROM (SELECT id, country_rules AS former FROM stores WHERE id = $1 FOR UPDATE) AS before
             WHERE s.id = before.id AND s.version = $2 RETURNING before.former`,
      values: [storeId, version, to],
    });
    const [row] = rows;
    if (!row) throw new ServiceError('STORE_CHANGED');
    const details = { from: row.former, to };
    await auditStore(tx, actor, { storeId, action: 'store.country_rules', target: storeId, details, now: clock.now() });
    return { version: version + 1 };
  });
}
