// The operator's decisions about a store (spec: a merchant waits for operator approval). Each is one conditional update; a
// decision that another operator made first is refused rather than overwritten.

import type { Context } from '@/lib/context';
import { moveStore, STORE_MOVES, type StoreMove } from './states';

/** The store was not in the state that the decision starts from; what the operator saw is out of date. */
export class StoreMoved extends Error {
  override readonly name = 'StoreMoved';
}

type Decision = { readonly storeId: string; readonly reason?: string };

/** Lets a waiting store do business. Throws StoreMoved when it is not waiting. */
export const approveStore = ({ pool }: Pick<Context, 'pool'>, of: Decision): Promise<void> =>
  decide({ pool }, 'approve', of);
/** Turns a waiting store down, for good. Throws StoreMoved when it is not waiting. */
export const rejectStore = ({ pool }: Pick<Context, 'pool'>, of: Decision): Promise<void> =>
  decide({ pool }, 'reject', of);
/** Stops an approved store: its keys answer store_not_active within a second. Throws StoreMoved when it is not approved. */
export const suspendStore = ({ pool }: Pick<Context, 'pool'>, of: Decision): Promise<void> =>
  decide({ pool }, 'suspend', of);
/** Lets a suspended store go on. Throws StoreMoved when it is not suspended. */
export const reinstateStore = ({ pool }: Pick<Context, 'pool'>, of: Decision): Promise<void> =>
  decide({ pool }, 'reinstate', of);

async function decide({ pool }: Pick<Context, 'pool'>, move: StoreMove, { storeId, reason }: Decision): Promise<void> {
  if (await moveStore(pool, storeId, move, reason ?? null)) return;
  throw new StoreMoved(`store ${storeId} is not ${STORE_MOVES[move].from}`);
}
