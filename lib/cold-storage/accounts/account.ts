// The kinds of accounts that may be the cold wallet. A plain account is one key and has no terms in a request; every other kind is one
// shape and one function here. Pure.

import { z } from 'zod';
import type { NetworkSpec } from '@/lib/networks/networks';
import type { ColdAccount } from './item';
import { plainAccount } from './plain';
import { safeAccount, safeShape } from './safe';
import { squadsAccount, squadsShape } from './squads';
import { tronPermissionAccount, tronPermissionShape } from './tron-permission';

/** The terms of a cold wallet with several keys, as a request names them. */
export const accountShape = z.discriminatedUnion('kind', [safeShape, squadsShape, tronPermissionShape]);
export type AccountTerms = z.output<typeof accountShape>;

/** Opens the cold wallet at `address`. Null: a plain account. Throws BadDraft for a kind that the network does not have. */
export function openAccount(spec: NetworkSpec, address: string, terms: AccountTerms | null): ColdAccount {
  if (terms === null) return plainAccount(spec, address);
  switch (terms.kind) {
    case 'safe':
      return safeAccount(spec, address, terms);
    case 'squads':
      return squadsAccount(spec, terms);
    case 'tron-permission':
      return tronPermissionAccount(spec, terms);
    default:
      return terms satisfies never;
  }
}

/** Who may advance the durable nonce of a transfer from `from`, and so end its life. A vault has no key: its first member may. */
export const nonceAuthorityOf = (from: string, terms: AccountTerms | null): string =>
  terms?.kind === 'squads' ? (terms.members[0] ?? from) : from;
