// Which permission of a TRON account signs for the cold wallet, as the chain has it now: chosen for a request, and compared before its
// signatures are stored.

import type { AccountTerms } from '@/lib/cold-storage/accounts/account';
import { tronPermissionShape, type TronPermissionTerms } from '@/lib/cold-storage/accounts/tron-permission';
import type { TronPermission } from '@/lib/networks/sending/send';
import { canonicalJson } from '@/lib/platform/json/json-text';
import { ReturnRefused } from './refusal';
import type { ReturnChain } from './rows';

/**
 * The terms of the cold wallet; null if it is a plain account, or on another network. `permission`: the one that the operator has named.
 * Throws ReturnRefused, or a ChainError.
 */
export async function readTronTerms(
  { sender, spec }: ReturnChain,
  cold: string,
  permission: number | null,
): Promise<TronPermissionTerms | null> {
  if (sender.permissions) return chosenPermission(cold, await sender.permissions(cold), permission);
  if (permission !== null) throw new ReturnRefused(`Accounts on ${spec.network} have no permissions.`);
  return null;
}

/** Whether a wallet on TRON still has the terms of a request; true on other networks. Throws a ChainError. */
export async function hasTronTerms(
  { sender }: ReturnChain,
  cold: string,
  terms: AccountTerms | null,
): Promise<boolean> {
  const permissions = await sender.permissions?.(cold);
  if (!permissions) return true;
  if (terms?.kind !== 'tron-permission') return chosenPermission(cold, permissions, null) === null;
  const found = permissions.find(({ id }) => id === terms.id);
  return found?.moves === true && canonicalJson(termsOf(found)) === canonicalJson(terms);
}

/**
 * The named permission; else none if the account's own key suffices; else the first active one that may move tokens; else the owner
 * permission, which may do everything.
 */
function chosenPermission(
  cold: string,
  permissions: readonly TronPermission[],
  named: number | null,
): TronPermissionTerms | null {
  if (named !== null) return usable(cold, named, permissions);
  const [owner, ...actives] = permissions;
  if (!owner) return null;
  const own = owner.keys.find(({ address }) => address === cold);
  if (own && own.weight >= owner.threshold) return null;
  return usable(cold, actives.find(({ moves }) => moves)?.id ?? owner.id, permissions);
}

function usable(cold: string, id: number, permissions: readonly TronPermission[]): TronPermissionTerms {
  const found = permissions.find((one) => one.id === id);
  if (!found) throw new ReturnRefused(`${cold} has no permission ${id}.`);
  if (!found.moves)
    throw new ReturnRefused(
      `Permission ${id} of ${cold} may not move tokens: its operations lack TriggerSmartContract.`,
    );
  const terms = termsOf(found);
  if (!tronPermissionShape.safeParse(terms).success)
    throw new ReturnRefused(`Permission ${id} of ${cold} has more keys or larger weights than a request can name.`);
  return terms;
}

const termsOf = ({ id, threshold, keys }: TronPermission): TronPermissionTerms => ({
  ...{ kind: 'tron-permission', id, threshold },
  keys: keys.map(({ address, weight }) => ({ address, weight })),
});
