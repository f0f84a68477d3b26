// The operator's decisions about a store. A merchant's store waits for approval. Each decision is one conditional update. It is
// refused when another operator decided first or the store changed since it was shown. The owners are notified by mail.

import type { Context } from '@/lib/platform/context';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { ServiceError } from '@/lib/platform/errors/errors';
import { queueMail } from '@/lib/merchants/mail/queue';
import { isOwnSandbox } from '@/lib/platform/config/own-sandbox';
import { auditStore, SYSTEM, type Actor } from './actor';
import { readStoreBranding } from '@/lib/merchants/branding/branding';
import { listDecisionReaders, listOwners, lockOwners, ownersWithoutFactor } from './owners';
import { moveStore, STORE_MOVES, type StoreMove } from './states';

/** The store has another state or version than the decision starts from. What the operator saw is out of date. */
export class StoreMoved extends Error {
  override readonly name = 'StoreMoved';
}

type Deps = Pick<Context, 'pool' | 'clock' | 'config'>;
/** `version`: the store's version as the operator saw it; absent means any. */
export type Decision = { readonly storeId: string; readonly reason?: string; readonly version?: number };

/**
 * Lets a waiting store do business. Throws StoreMoved when it is not waiting, STORE_WITHOUT_CONTACT when customers could not
 * contact it, and OWNER_WITHOUT_FACTOR while an owner has no second factor. The service itself, and an operator of a sandbox on
 * the developer's own machine, approve without a contact and without second factors.
 */
export const approveStore = (deps: Deps, of: Decision, actor?: Actor): Promise<void> =>
  decide(deps, 'approve', of, actor);
/** Rejects a waiting store permanently. Throws StoreMoved when it is not waiting. */
export const rejectStore = (deps: Deps, of: Decision, actor?: Actor): Promise<void> =>
  decide(deps, 'reject', of, actor);
/** Suspends an approved store. Its keys get store_not_active within a second. Throws StoreMoved when it is not approved. */
export const suspendStore = (deps: Deps, of: Decision, actor?: Actor): Promise<void> =>
  decide(deps, 'suspend', of, actor);
/** Reinstates a suspended store. Throws StoreMoved when it is not suspended. */
export const reinstateStore = (deps: Deps, of: Decision, actor?: Actor): Promise<void> =>
  decide(deps, 'reinstate', of, actor);

async function decide(deps: Deps, move: StoreMove, of: Decision, actor: Actor = SYSTEM): Promise<void> {
  const { storeId, reason = null, version } = of;
  const now = deps.clock.now();
  await transaction(deps.pool, async (tx) => {
    if (!(await moveStore(tx, { storeId, move, reason, version: version ?? null, now })))
      throw new StoreMoved(`store ${storeId} is not ${STORE_MOVES[move].from.join(' or ')}, or was changed`);
    if (move === 'approve' && actor !== SYSTEM && !isOwnSandbox(deps.config)) {
      await needContact(tx, storeId);
      await needOwnersFactors(tx, storeId);
    }
    await mailOwners(tx, deps, { move, storeId, reason: reason ?? '—', now });
    await auditStore(tx, actor, { storeId, action: `store.${move}`, target: storeId, details: { reason }, now });
  });
}

/** `moveStore` locked the store, so its contact cannot change before the commit (change-branding). */
async function needContact(tx: Tx, storeId: string): Promise<void> {
  const { supportContact } = await readStoreBranding(tx, storeId);
  if (supportContact === null) throw new ServiceError('STORE_WITHOUT_CONTACT');
}

async function needOwnersFactors(tx: Tx, storeId: string): Promise<void> {
  // Lock first: the query after the lock then sees a factor that was removed meanwhile.
  await lockOwners(tx, storeId);
  if ((await ownersWithoutFactor(tx, storeId)).length > 0) throw new ServiceError('OWNER_WITHOUT_FACTOR');
}

async function mailOwners(
  tx: Tx,
  deps: Deps,
  { move, storeId, reason, now }: { move: StoreMove; storeId: string; reason: string; now: Date },
): Promise<void> {
  const link = `${deps.config.PUBLIC_URL}/dashboard/${storeId}/live/overview`;
  const isChosen = move === 'approve' || move === 'reject';
  const people = isChosen ? await listDecisionReaders(tx, storeId) : await listOwners(tx, storeId);
  for (const { email, locale, name: store } of people) {
    const to = { to: email, locale, now };
    switch (move) {
      case 'approve':
        await queueMail(tx, deps, { ...to, kind: 'StoreApproved', values: { store, link } });
        break;
      case 'reject':
        await queueMail(tx, deps, { ...to, kind: 'StoreRejected', values: { store, reason, link } });
        break;
      case 'suspend':
        await queueMail(tx, deps, { ...to, kind: 'StoreSuspended', values: { store, reason } });
        break;
      case 'reinstate':
        await queueMail(tx, deps, { ...to, kind: 'StoreResumed', values: { store, link } });
        break;
      default:
        move satisfies never;
    }
  }
}
