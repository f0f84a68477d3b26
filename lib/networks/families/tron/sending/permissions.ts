// The permissions of a TRON account, as one endpoint reports them of the solid or the newest state: which keys may move its tokens together.

import { ChainError } from '@/lib/networks/chain';
import { requestAddress, tronAddress } from '@/lib/networks/families/tron/address';
import type { TronNode } from '@/lib/networks/families/tron/node';
import type { TronPermission } from '@/lib/networks/sending/lasting';
import { permittedAccount, type ReportedPermission } from './shapes';

/** The number of TriggerSmartContract in the bitmap of an active permission. */
const TRIGGER_SMART_CONTRACT = 31;

/** All permissions but that of a witness, the owner permission first. None: the account was never activated. */
export async function readPermissions(
  node: TronNode,
  address: string,
  state: 'final' | 'newest' = 'final',
): Promise<readonly TronPermission[]> {
  const body = { address: requestAddress(address) };
  const side = state === 'final' ? 'walletsolidity' : 'wallet';
  const request = { side, api: 'getaccount', body, shape: permittedAccount } as const;
  const { address: found, owner_permission: owner, active_permission: active } = await node.client.request(request);
  if (found === undefined) return [];
  // Accounts from before 2019 have no permissions of their own, and then the key of the address is the owner.
  const keys = [{ address: requestAddress(address), weight: 1 }];
  return [{ id: 0, threshold: 1, keys, ...owner }, ...active].map((one, index) => permissionOf(one, index === 0));
}

function permissionOf({ id, threshold, operations, keys }: ReportedPermission, isOwner: boolean): TronPermission {
  return {
    id,
    threshold,
    // The owner permission has no bitmap: it may do everything.
    moves: isOwner || hasBit(operations ?? '', TRIGGER_SMART_CONTRACT),
    keys: keys.map(({ address, weight }) => ({ address: tronAddress(address.slice(2)), weight })),
  };
}

const hasBit = (bitmap: string, bit: number): boolean =>
  ((Buffer.from(bitmap, 'hex')[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0;

/** The permissions that enough endpoints report alike. Throws a ChainError when too few do. */
export function agreeOnPermissions(
  votes: readonly (readonly TronPermission[])[],
  needed: number,
): readonly TronPermission[] {
  const texts = votes.map((vote) => JSON.stringify(vote));
  const agreed = votes.find((_, at) => texts.filter((text) => text === texts[at]).length >= needed);
  if (!agreed) throw new ChainError('unavailable', 'too few endpoints report the same permissions of the account');
  return agreed;
}
