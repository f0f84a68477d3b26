// Identifies and authorizes the visitor of a store's page, and resolves the store and environment, before the page reads
// anything.

import { notFound } from 'next/navigation';
import type { Context } from '@/lib/platform/context';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { Environment } from '@/lib/platform/ids';
import { may, type Permission } from '@/lib/merchants/members/roles';
import { readStore, type StoreRow } from '@/lib/merchants/stores/read';
import type { Actor } from './authorize';
import { readPageRequest, type Parameters } from './lists/filters';
import { FIRST_PAGE, type PageRequest } from './lists/keyset';
import { requirePage } from './page';
import type { StoreScope } from './lists/payments';

export type StorePage = {
  readonly actor: Actor;
  readonly context: Context;
  readonly store: StoreRow;
  readonly of: StoreScope;
  /** The path of the store's pages in this environment. */
  readonly base: string;
  /** The path of its requests, below /api/dashboard. */
  readonly api: string;
  /** Whether the visitor has a permission. For showing buttons only: the request is authorized again. */
  readonly can: (permission: Permission) => boolean;
};

/** For pages of one environment. Redirects visitors who may not see it. */
export async function requireStorePage(
  params: Promise<{ readonly store_id: string; readonly environment?: string }>,
  permission: Permission,
): Promise<StorePage> {
  const { store_id: storeId, environment = 'live' } = await params;
  const { actor, context } = await requirePage(permission, storeId);
  const store = await readStore(context.pool, storeId);
  if (!store || !isEnvironment(environment)) notFound();
  return {
    actor,
    context,
    store,
    of: { storeId, environment },
    base: `/dashboard/${storeId}/${environment}`,
    api: `/stores/${storeId}/${environment}`,
    can: (one) => may({ isOperator: actor.isOperator, storeRole: actor.storeRole }, one),
  };
}

const isEnvironment = (text: string): text is Environment => text === 'live' || text === 'test';

/** What the pages of one environment get from Next. */
export type StorePageProps = {
  readonly params: Promise<{ readonly store_id: string; readonly environment: string }>;
  readonly searchParams: Promise<Parameters>;
};

/** The filters of a list and its page, from its address. */
export function readListQuery<Filters extends object>(
  given: Parameters,
  readFilters: (given: Parameters) => Partial<Filters> = () => ({}),
): { readonly filters: Partial<Filters>; readonly isFiltered: boolean; readonly pageRequest: PageRequest } {
  const filters = lenient<Partial<Filters>>(() => readFilters(given), {});
  return {
    filters,
    isFiltered: Object.keys(filters).length > 0,
    pageRequest: lenient(() => readPageRequest(given), FIRST_PAGE),
  };
}

/** Parses the parameters of an address. Invalid parameters count as absent, so that the page can still be shown. */
function lenient<Value>(read: () => Value, otherwise: Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'INVALID_PARAMETER') return otherwise;
    throw error;
  }
}
