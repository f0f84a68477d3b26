// A store's API keys and webhook endpoint as the dashboard shows them: never their secrets.

import type { Scope } from '@/lib/auth/api-keys';
import type { Db } from '@/lib/db';
import type { Environment } from '@/lib/ids';

export type KeyRow = {
  readonly id: number;
  readonly name: string;
  /** The last four characters. */
  readonly hint: string;
  readonly scopes: readonly Scope[];
  readonly allowedAddresses: readonly string[];
  readonly requiresSignatureV2: boolean;
  readonly createdAt: Date;
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
};

/** Keys that a page shows at once: those that work, then the latest of those that ended. */
const MOST_KEYS = 200;

export async function listKeys(db: Db, of: { storeId: string; environment: Environment }): Promise<KeyRow[]> {
  const { rows } = await db.query<KeyRow>({
    name: 'list-keys',
    text: `SELECT id, name, key_hint AS hint, scopes, allowed_addresses AS "allowedAddresses",
                  requires_signature_v2 AS "requiresSignatureV2", created_at AS "createdAt",
                  last_used_at AS "lastUsedAt", expires_at AS "expiresAt", revoked_at AS "revokedAt"
           FROM api_keys WHERE store_id = $1 AND environment = $2::"Environment"
           ORDER BY revoked_at IS NOT NULL, id DESC LIMIT ${MOST_KEYS}`,
    values: [of.storeId, of.environment],
  });
  return rows;
}

/** `rotatingUntil`: until when the former secret signs too. */
export type EndpointRow = { readonly url: string; readonly createdAt: Date; readonly rotatingUntil: Date | null };

export async function readEndpoint(
  db: Db,
  of: { storeId: string; environment: Environment },
): Promise<EndpointRow | null> {
  const { rows } = await db.query<EndpointRow>({
    name: 'read-endpoint',
    text: `SELECT url, created_at AS "createdAt", previous_until AS "rotatingUntil" FROM webhook_endpoints
           WHERE store_id = $1 AND environment = $2::"Environment"`,
    values: [of.storeId, of.environment],
  });
  return rows[0] ?? null;
}
