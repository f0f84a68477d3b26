// The kinds of accounts that may be the cold wallet. A plain account is one key and has no terms in a request; every other kind is one
// shape and one function here. Pure.

import { z } from 'zod';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { ColdAccount } from './item';
import { plainAccount } from './plain';
import { safeAccount, safeShape } from './safe';
import { tronPermissionAccount, tronPermissionShape } from './tron-permission';

/** The terms of a cold wallet with several keys, as a request names them. */
export const accountShape = z.discriminatedUnion('kind', [safeShape, tronPermissionShape]);
export type AccountTerms = z.output<typeof accountShape>;

/** Opens the cold wallet at `address`. Null: a plain account. Throws BadDraft for a kind that the network does not have. */
export function openAccount(spec: NetworkSpec, address: string, terms: AccountTerms | null): ColdAccount {
  if (terms === null) return plainAccount(spec, address);
  switch (terms.kind) {
    case 'safe':
      return safeAccount(spec, address, terms);
    case 'tron-permission':
      return tronPermissionAccount(spec, terms);
    default:
      return terms satisfies never;
  }
}
