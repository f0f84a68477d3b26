// "Paste and verify" for one endpoint. It opens the secrets of this store that the merchant may have mixed up, compares, and
// discards them. The answer holds names of secrets and never a secret.

import { apiSecretPurpose } from '@/lib/merchants/api-keys/verify-key';
import { unixSeconds } from '@/lib/platform/clock';
import type { Context } from '@/lib/platform/context';
import { openSecret } from '@/lib/platform/crypto';
import { webhookSecretPurpose } from '@/lib/webhooks/endpoint/secret';
import { verifyPasted, type VerifyStep } from '@/lib/webhooks/console/verify';
import type { NamedSecret } from '@/lib/webhooks/console/verify-candidates';
import type { StoreScope } from '@/lib/dashboard/lists/payments';

export type Pasted = {
  readonly headers: string;
  readonly body: string;
  readonly computed?: string | undefined;
};
export type Verified = { readonly isRight: boolean; readonly steps: readonly VerifyStep[] };

/** Keys whose secrets are tried, the last used first. Each costs a few hundred HMACs of the pasted body. */
const MAX_KEYS = 4;

/** Null when the store has no endpoint in this environment. */
export async function verifyForEndpoint(
  context: Pick<Context, 'pool' | 'clock' | 'config'>,
  of: StoreScope & Pasted,
): Promise<Verified | null> {
  const secrets = await openSecrets(context, of);
  if (!secrets.some(({ name }) => name === 'present')) return null;
  const { headers, body, computed } = of;
  return verifyPasted({ headers, body, computed, secrets, now: unixSeconds(context.clock.now()) });
}

type EndpointRow = {
  environment: StoreScope['environment'];
  secret_ciphertext: Buffer;
  previous_secret_ciphertext: Buffer | null;
};
type KeyRow = { key_hash: Buffer; secret_ciphertext: Buffer };

async function openSecrets(
  { pool, config }: Pick<Context, 'pool' | 'config'>,
  { storeId, environment }: StoreScope,
): Promise<NamedSecret[]> {
  const [endpoints, keys] = await Promise.all([
    pool.query<EndpointRow>(
      'SELECT environment, secret_ciphertext, previous_secret_ciphertext FROM webhook_endpoints WHERE store_id = $1',
      [storeId],
    ),
    pool.query<KeyRow>(
      `SELECT key_hash, secret_ciphertext FROM api_keys
       WHERE store_id = $1 AND environment = $2 AND revoked_at IS NULL ORDER BY last_used_at DESC NULLS LAST, id DESC LIMIT ${MAX_KEYS}`,
      [storeId, environment],
    ),
  ]);
  const open = (sealed: Buffer, purpose: string): string => openSecret(config.MASTER_KEYS, sealed, purpose);
  // The endpoint's own secrets come first, so that they are reported when several match.
  const ofEndpoints = endpoints.rows
    .toSorted((one) => (one.environment === environment ? -1 : 1))
    .flatMap((row): NamedSecret[] => {
      const isOwn = row.environment === environment;
      const purpose = webhookSecretPurpose(storeId, row.environment);
      const present = open(row.secret_ciphertext, purpose);
      const previous = row.previous_secret_ciphertext && open(row.previous_secret_ciphertext, purpose);
      return [
        { name: isOwn ? 'present' : 'other_environment', secret: present },
        // Includes a secret whose overlap has ended: merchants often keep using it by mistake.
        ...(previous === null
          ? []
          : [{ name: isOwn ? ('previous' as const) : ('other_environment_previous' as const), secret: previous }]),
      ];
    });
  const ofKeys = keys.rows.map(({ key_hash: hash, secret_ciphertext: sealed }): NamedSecret => ({
    name: 'api',
    secret: open(sealed, apiSecretPurpose(hash)),
  }));
  return [...ofEndpoints, ...ofKeys];
}
