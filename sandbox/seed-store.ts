// One demo store with its key and webhook endpoint. Stored credentials are used again only if the database proves that they still
// work.

import { apiSecretPurpose } from '@/lib/merchants/api-keys/verify-key';
import type { Context } from '@/lib/platform/context';
import { openSecret, sha256 } from '@/lib/platform/crypto';
import type { Environment } from '@/lib/platform/ids';
import { approveStore } from '@/lib/merchants/stores/approve';
import { createStore } from '@/lib/merchants/stores/create';
import { createApiKey, revokeApiKey } from '@/lib/merchants/api-keys/keys';
import { setWebhookEndpoint } from '@/lib/merchants/stores/webhook-endpoint';
import { webhookSecretPurpose } from '@/lib/webhooks/endpoint/secret';
import type { PrismaClient } from '@/prisma/generated/client';
import type { DemoStore } from './demo-accounts';

const ENVIRONMENT: Environment = 'test';
const KEY_NAME = 'Demo key';

export type SeedContext = Pick<Context, 'pool' | 'clock' | 'config' | 'log'>;
type Seeding = { context: SeedContext; prisma: PrismaClient; kept: DemoStore | null };

/** Finds or creates the owner's store of that name, and returns it with credentials that work. */
export async function seedStore(
  seeding: Seeding,
  { ownerId, email, name }: { ownerId: string; email: string; name: string },
): Promise<DemoStore> {
  const { context, prisma } = seeding;
  const found = await prisma.store.findFirst({ where: { ownerId, name }, orderBy: { createdAt: 'asc' } });
  const id = found?.id ?? (await createStore(context, { ownerId, name })).id;
  if (!found || found.status === 'pending') await approveStore(context, { storeId: id });
  const kept = seeding.kept?.id === id ? seeding.kept : null;
  const key = await seedKey({ ...seeding, kept }, id);
  const webhook = await seedWebhook(seeding, id);
  return { id, name, merchant_email: email, ...key, ...webhook };
}

async function seedKey({ context, prisma, kept }: Seeding, storeId: string) {
  const keys = await prisma.apiKey.findMany({ where: { storeId, environment: ENVIRONMENT, revokedAt: null } });
  const keptHash = kept && sha256(kept.api_key);
  const working = keys.find((key) => {
    if (!kept || !keptHash?.equals(key.keyHash)) return false;
    if (key.expiresAt && key.expiresAt <= context.clock.now()) return false;
    return openSecret(context.config.MASTER_KEYS, key.secretCiphertext, apiSecretPurpose(keptHash)) === kept.api_secret;
  });
  if (kept && working) return { api_key: kept.api_key, api_secret: kept.api_secret };
  // A demo key whose secret is lost is of no use, so it is revoked.
  for (const lost of keys.filter((key) => key.name === KEY_NAME)) {
    await revokeApiKey(context, { storeId, environment: ENVIRONMENT, keyId: lost.id });
  }
  const { apiKey, apiSecret } = await createApiKey(context, { storeId, environment: ENVIRONMENT, name: KEY_NAME });
  return { api_key: apiKey, api_secret: apiSecret };
}

async function seedWebhook({ context, prisma }: Pick<Seeding, 'context' | 'prisma'>, storeId: string) {
  const endpoint = { storeId, environment: ENVIRONMENT };
  const url = `${context.config.PUBLIC_URL}/sandbox/webhooks/${storeId}`;
  const { secret } = await setWebhookEndpoint(context, { ...endpoint, url });
  if (secret !== null) return { webhook_url: url, webhook_secret: secret };
  const row = await prisma.webhookEndpoint.findUniqueOrThrow({ where: { storeId_environment: endpoint } });
  const purpose = webhookSecretPurpose(storeId, ENVIRONMENT);
  const present = openSecret(context.config.MASTER_KEYS, row.secretCiphertext, purpose);
  return { webhook_url: url, webhook_secret: present };
}
