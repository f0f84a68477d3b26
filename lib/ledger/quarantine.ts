// Posts what hits of the screening freeze from the stores' balances to their quarantine, and back when a hit is released. The amounts follow
// from the hits and the postings (frozen.ts), so a run that did not end is completed by the next one, and a second worker finds nothing to do.

import type { Context } from '@/lib/platform/context';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { readFrozen, storesToQuarantine, type FrozenFunds, type StoreScope } from './frozen';
import { lockStoreBalances, postEntry } from './post-entry';
import { isSameAsset, quarantinePostings, type AssetAmount } from './postings';

/** Stores that are looked up at a time, and entries of one transaction, which holds the lock of the store's balances. */
const [MAX_STORES, MAX_ENTRIES] = [100, 200];

/** The worker's step. A store whose entries cannot be written delays no other store. */
export async function quarantineFrozen({ pool }: Pick<Context, 'pool'>): Promise<{ more: boolean }> {
  const errors: unknown[] = [];
  let more = false;
  for (let stores = await storesToQuarantine(pool, { after: undefined, limit: MAX_STORES }); stores.length > 0;) {
    for (const store of stores) {
      const done = transaction(pool, (tx) => quarantineOf(tx, store));
      more = (await done.catch((error: unknown) => void errors.push(error)))?.more || more;
    }
    // Stores that failed are left behind.
    stores = await storesToQuarantine(pool, { after: stores.at(-1), limit: MAX_STORES });
  }
  if (errors.length > 0) throw errors[0];
  return { more };
}

/**
 * Brings the quarantine of a store in line with the hits. What the store no longer has stays missing until it is paid again: it is left out
 * of what can be spent, and it is an alarm (readShortfalls).
 */
export async function quarantineOf(tx: Tx, of: StoreScope): Promise<{ more: boolean }> {
  const left = (await lockStoreBalances(tx, of)).map((held) => ({ ...held }));
  // Read under the lock, so that it includes what another worker has posted.
  const frozen = await readFrozen(tx, of);
  // Releases come first, because another session may need the released money. Every entry locks tokens in this order.
  const changes = [
    ...frozen.filter(({ wanted, posted }) => wanted < posted),
    ...frozen.filter(({ wanted, posted }) => wanted > posted),
  ].toSorted(byAsset);
  let entries = 0;
  for (const one of changes) {
    const held = left.find((balance) => isSameAsset(balance, one));
    const missing = one.wanted - one.posted;
    const amount = held && missing > held.amount ? held.amount : missing;
    if (!held || amount === 0n) continue;
    if (entries++ === MAX_ENTRIES) return { more: true };
    held.amount -= amount;
    await move(tx, of, { ...one, amount });
  }
  return { more: false };
}

/**
 * Takes out of the quarantine what a store's balance lacks for a payment that was signed before, and that a restored database does not know
 * any more. The chain may have paid it already; what is then missing of the frozen money is an alarm.
 */
export async function unfreezeFor(tx: Tx, of: StoreScope, needed: readonly AssetAmount[]): Promise<void> {
  const balances = await lockStoreBalances(tx, of);
  const frozen = await readFrozen(tx, of);
  for (const need of needed) {
    let lacking = need.amount - (balances.find((held) => isSameAsset(held, need))?.amount ?? 0n);
    for (const one of frozen.filter(({ posted, ...asset }) => posted > 0n && isSameAsset(asset, need))) {
      if (lacking <= 0n) break;
      const amount = one.posted < lacking ? one.posted : lacking;
      lacking -= amount;
      await move(tx, of, { ...one, amount: -amount });
    }
  }
}

function byAsset(one: FrozenFunds, other: FrozenFunds): number {
  const [left, right] = [`${one.network} ${one.currency}`, `${other.network} ${other.currency}`];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/** Positive: into the quarantine. */
function move(
  tx: Tx,
  { storeId, environment }: StoreScope,
  { sessionId, network, currency, amount }: Omit<FrozenFunds, 'wanted' | 'posted'> & { readonly amount: bigint },
): Promise<void> {
  return postEntry(
    tx,
    amount > 0n ? 'quarantined' : 'quarantine_released',
    { storeId, environment, sessionId, intentId: null },
    quarantinePostings(storeId, { network, currency, amount }),
  );
}
