// Changes that owners make to a store. Each increments the version, so that an operator never decides about outdated data. No
// request can set the status.

import type { Context } from '@/lib/platform/context';
import { transaction } from '@/lib/platform/database/db';
import { prismaOn } from '@/lib/platform/database/prisma';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { Stablecoin } from '@/lib/money/amounts';
import { LONGEST_DESCRIPTION, LONGEST_NAME } from './create';
import { auditStore, type Actor } from './actor';
import { checkStoreName, checkText, checkWebsite } from './fields';
import { markIdentityChanged } from './identity';
import { checkLegalDetails } from './legal-details';

/** Absent fields stay; null clears an optional field. */
export type StoreChange = {
  readonly name?: string | undefined;
  readonly website?: string | null | undefined;
  readonly description?: string | null | undefined;
  readonly settlementCurrency?: Stablecoin | undefined;
  readonly usdCurrencies?: readonly Stablecoin[] | undefined;
  readonly networks?: readonly string[] | undefined;
  readonly acceptsOtherToken?: boolean | undefined;
  /** Replaced as a whole; receipts that were issued keep theirs. */
  readonly legalDetails?: Parameters<typeof checkLegalDetails>[0] | null | undefined;
};

/** Throws INVALID_PARAMETER, STORE_NOT_FOUND, or STORE_CHANGED when the store's version is not the one that was shown. */
export async function changeStore(
  { pool, clock }: Pick<Context, 'pool' | 'clock'>,
  of: { storeId: string; version: number; change: StoreChange },
  actor: Actor,
): Promise<{ version: number }> {
  const data = checked(of.change);
  const fields = FIELDS.flatMap(([field, name]) => (data[field] === undefined ? [] : [name]));
  const { storeId, version } = of;
  if (fields.length === 0) return { version };
  return transaction(pool, async (tx) => {
    const prisma = await prismaOn(tx);
    const where = { id: storeId, version };
    const before = await prisma.store.findUnique({ where, select: IDENTITY });
    const { count } = await prisma.store.updateMany({ where, data: { ...data, version: { increment: 1 } } });
    // Every change of the identity increments the version, so `before` is the identity of this version.
    if (!before || count !== 1) throw new ServiceError('STORE_CHANGED');
    const now = clock.now();
    const former = formerOf(before, data);
    if (Object.keys(former).length > 0) await markIdentityChanged(tx, storeId, now);
    const details = { fields, ...former };
    await auditStore(tx, actor, { storeId, action: 'store.change', target: storeId, details, now });
    return { version: version + 1 };
  });
}

const IDENTITY = {
  name: true,
  website: true,
  description: true,
  legalName: true,
  legalAddress: true,
  vatNumber: true,
} as const;
type Identity = { readonly [Field in keyof typeof IDENTITY]?: string | null | undefined };

/** The former values of changed fields that customers know the store by: `former_name` and so on. */
const formerOf = (before: Identity, data: Identity): Record<string, string> =>
  Object.fromEntries(
    FIELDS.flatMap(([field, name]) => {
      if (!isIdentity(field) || data[field] === undefined || data[field] === before[field]) return [];
      return [[`former_${name}`, before[field] ?? '']];
    }),
  );
const isIdentity = (field: string): field is keyof Identity => Object.hasOwn(IDENTITY, field);

/** The fields with their names in the audit log. */
const FIELDS = [
  ['name', 'name'],
  ['website', 'website'],
  ['description', 'description'],
  ['settlementCurrency', 'settlement_currency'],
  ['usdCurrencies', 'usd_currencies'],
  ['networks', 'networks'],
  ['acceptsOtherToken', 'accepts_other_token'],
  ['legalName', 'legal_name'],
  ['legalAddress', 'legal_address'],
  ['vatNumber', 'vat_number'],
] as const satisfies readonly (readonly [keyof ReturnType<typeof checked>, string])[];

/** Names its fields one by one: nothing else of a request reaches the row. */
const checked = (change: StoreChange) =>
  defined({
    name: change.name === undefined ? undefined : checkStoreName('name', change.name, LONGEST_NAME),
    website: optional(change.website, (text) => checkWebsite('website', text)),
    description: optional(change.description, (text) => checkText('description', text, LONGEST_DESCRIPTION)),
    settlementCurrency: change.settlementCurrency,
    usdCurrencies: change.usdCurrencies && [...change.usdCurrencies],
    networks: change.networks && [...change.networks],
    acceptsOtherToken: change.acceptsOtherToken,
    ...legalColumns(change.legalDetails),
  });

function legalColumns(given: StoreChange['legalDetails']): {
  readonly legalName?: string | null;
  readonly legalAddress?: string | null;
  readonly vatNumber?: string | null;
} {
  if (given === undefined) return {};
  if (given === null) return { legalName: null, legalAddress: null, vatNumber: null };
  const { name, address, vatNumber } = checkLegalDetails(given);
  return { legalName: name, legalAddress: address, vatNumber };
}

const defined = <Fields extends object>(given: Fields) =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
    [Field in keyof Fields]?: Exclude<Fields[Field], undefined>;
  };

const optional = (value: string | null | undefined, check: (text: string) => string): string | null | undefined =>
  typeof value === 'string' ? check(value) : value;
