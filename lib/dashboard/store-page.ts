// What every page of a store asks before it reads: who looks, whether they may, and which store and environment it is.

import { notFound } from 'next/navigation';
import type { Context } from '@/lib/platform/context';
import { ServiceError } from '@/lib/platform/errors/errors';
import type { Environment } from '@/lib/platform/ids';
import { may, type Permission } from '@/lib/merchants/members/roles';
import { readStore, type StoreRow } from '@/lib/merchants/stores/read';
import type { Actor } from './authorize';
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
  /** Whether whoever looks may; for buttons, since the request is asked anew. */
  readonly can: (permission: Permission) => boolean;
};

/** For pages of one environment. Leads away whoever may not see it. */
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

/** What an address's parameters say; parameters that nobody's page made count as none, so that a page can still be shown. */
export function lenient<Value>(read: () => Value, otherwise: Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'INVALID_PARAMETER') return otherwise;
    throw error;
  }
}
