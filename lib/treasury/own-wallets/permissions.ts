// What the permissions of a TRON account mean: whether they are those of an account with one key, what changed, and how that is said. Pure.

import type { TronPermission } from '@/lib/networks/sending/lasting';

export type Permissions = readonly TronPermission[];

/** Which permission differs. The owner permission can change all others, so it is named first. */
export type PermissionChange = 'owner' | 'active';

/** What differs from an account whose only key is its own; null if nothing does, or if the account was never activated. */
export function changeFromOneKey(address: string, permissions: Permissions): PermissionChange | null {
  const isOwnKey = ({ threshold, keys }: TronPermission): boolean =>
    threshold === 1 && keys.length === 1 && keys[0]?.address === address && keys[0].weight === 1;
  const [owner, ...actives] = permissions;
  if (owner && !isOwnKey(owner)) return 'owner';
  return actives.length <= 1 && actives.every(isOwnKey) ? null : 'active';
}

/** What differs between two readings. */
export function changeBetween(before: Permissions, now: Permissions): PermissionChange | null {
  const [first, second] = [textsOf(before), textsOf(now)];
  if (first[0] !== second[0]) return 'owner';
  return first.join() === second.join() ? null : 'active';
}

const textsOf = (permissions: Permissions): readonly string[] =>
  permissions.map(({ id, threshold, moves, keys }) =>
    JSON.stringify([id, threshold, moves, keys.map(({ address, weight }) => [address, weight])]),
  );

/** The permission that a change is about, as an operator reads it. */
export function changedPermission(change: PermissionChange, permissions: Permissions): Permissions {
  return change === 'owner' ? permissions.slice(0, 1) : permissions.slice(1);
}

/** Of the signer's reason for a freeze. */
const MAX_REASON = 200;

/** The keys come last, because a long reason is cut. */
export function freezeReason(
  { address, network }: { readonly address: string; readonly network: string },
  change: PermissionChange,
  permissions: Permissions,
): string {
  const now = changedPermission(change, permissions)
    .map(({ threshold, keys }) => `${keys.map((key) => `${key.address} (${key.weight})`).join(', ')} of ${threshold}`)
    .join('; ');
  const what = change === 'owner' ? 'owner permission' : 'active permissions';
  return `the ${what} of our wallet ${address} on ${network} changed: ${now || 'none'}`.slice(0, MAX_REASON);
}
