// A store's API keys and webhook endpoint as the dashboard shows them: never their secrets.

import type { Scope } from '@/lib/merchants/api-keys/verify-key';
import type { Db } from '@/lib/platform/database/db';
import { prismaOn } from '@/lib/platform/database/prisma';
import type { Environment } from '@/lib/platform/ids';

export type KeyRow = {
  readonly id: number;
  readonly name: string;
  /** The last four characters. */
  readonly hint: string;
  readonly scopes: readonly Scope[];
  readonly allowedAddresses: readonly string[];
  readonly requiresSignatureV2: boolean;
  readonly createdAt: Date;
  /** The e-mail address of the person who created or rolled it; null when the service did, or when unknown. */
  readonly creator: string | null;
  readonly lastUsedAt: Date | null;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
};

/** Keys on one page: the working ones, then the latest of the others. */
const MAX_KEYS = 200;

export async function listKeys(db: Db, of: { storeId: string; environment: Environment }): Promise<KeyRow[]> {
  const { rows } = await db.query<KeyRow>({
    name: 'list-keys',
    text: `SELECT k.id, k.name, k.key_hint AS hint, k.scopes, k.allowed_addresses AS "allowedAddresses",
                  k.requires_signature_v2 AS "requiresSignatureV2", k.created_at AS "createdAt", u.email AS creator,
                  k.last_used_at AS "lastUsedAt", k.expires_at AS "expiresAt", k.revoked_at AS "revokedAt"
           FROM api_keys k LEFT JOIN users u ON u.id = k.created_by
           WHERE k.store_id = $1 AND k.environment = $2::"Environment"
           ORDER BY k.revoked_at IS NOT NULL, k.id DESC LIMIT ${MAX_KEYS}`,
    values: [of.storeId, of.environment],
  });
  return rows;
}

/** `rotatingUntil`: the former secret also signs until then. */
export type EndpointRow = { readonly url: string; readonly createdAt: Date; readonly rotatingUntil: Date | null };

export async function readEndpoint(
  db: Db,
  of: { storeId: string; environment: Environment },
): Promise<EndpointRow | null> {
  const { storeId, environment } = of;
  const prisma = await prismaOn(db);
  const row = await prisma.webhookEndpoint.findUnique({
    where: { storeId_environment: { storeId, environment } },
    select: { url: true, createdAt: true, previousUntil: true },
  });
  return row && { url: row.url, createdAt: row.createdAt, rotatingUntil: row.previousUntil };
}
