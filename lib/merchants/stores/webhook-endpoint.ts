// The one webhook endpoint of a store and environment. The same guard checks its address now and at every delivery. Its secret
// is shown once. After a rotation the old secret signs in addition for a day. A new address ends a pause that the service began
// because the former address failed.

import type { AuditDetails } from '@/lib/merchants/audit/chain';
import type { Context } from '@/lib/platform/context';
import { sealSecret } from '@/lib/platform/crypto';
import { transaction, type Tx } from '@/lib/platform/database/db';
import { prismaOn } from '@/lib/platform/database/prisma';
import { ServiceError } from '@/lib/platform/errors/errors';
import { newWebhookSecret, type Environment } from '@/lib/platform/ids';
import { noteSecurity } from '@/lib/platform/security/events';
import { PrivateAddress, UnsafeAddress } from '@/lib/webhooks/delivery/address-guard';
import { resumeEndpoint } from '@/lib/webhooks/endpoint/pause';
import { checkWebhookUrl, type Lookup } from '@/lib/webhooks/delivery/resolve';
import { webhookSecretPurpose } from '@/lib/webhooks/endpoint/secret';
import { auditStore, SYSTEM, userIdOf, type Actor } from './actor';

type Deps = Pick<Context, 'pool' | 'clock' | 'config' | 'log'> & { readonly lookup?: Lookup };
type Endpoint = { readonly storeId: string; readonly environment: Environment };

/** Long enough for a merchant's deployment, short enough that a leaked secret expires soon. */
const OVERLAP_MILLISECONDS = 24 * 3600 * 1000;

/** `replayed`: number of waiting deliveries, when the new address ended a pause. */
export type SetEndpoint = { readonly secret: string | null; readonly replayed?: number };

/**
 * Sets the URL, and with `slowLane` whether failed deliveries are retried for three days. The first call creates the secret and
 * returns it; later calls keep it and return null. A new URL resumes an endpoint that the service had paused. Throws
 * INVALID_PARAMETER for a URL that must not be called.
 */
export async function setWebhookEndpoint(
  deps: Deps,
  to: Endpoint & { url: string; slowLane?: boolean | undefined },
  actor: Actor = SYSTEM,
): Promise<SetEndpoint> {
  const url = await safeUrl(deps, to, actor);
  const secret = newWebhookSecret();
  const now = deps.clock.now();
  const set = await transaction(deps.pool, async (tx) => {
    const before = await tx.query<{ is_to_resume: boolean }>(
      `SELECT e.url <> $3 AND p.reason <> 'requested' AS is_to_resume FROM webhook_endpoints e
       JOIN webhook_pauses p ON p.store_id = e.store_id AND p.environment = e.environment AND p.resumed_at IS NULL
       WHERE e.store_id = $1 AND e.environment = $2 AND e.paused_at IS NOT NULL FOR UPDATE OF e`,
      [to.storeId, to.environment, url],
    );
    const { rows } = await tx.query<{ is_new: boolean }>(
      `INSERT INTO webhook_endpoints AS e (id, store_id, environment, url, secret_ciphertext, created_at, slow_lane)
       VALUES (gen_random_uuid(), $1, $2, $3, $4, $5, coalesce($6, false))
       ON CONFLICT (store_id, environment) DO UPDATE SET url = excluded.url, slow_lane = coalesce($6, e.slow_lane)
       RETURNING secret_ciphertext = $4 AS is_new`,
      [to.storeId, to.environment, url, sealed(deps, to, secret), now, to.slowLane ?? null],
    );
    // The path may hold a secret, so log the host only.
    const slowLane = to.slowLane === undefined ? {} : { slow_lane: to.slowLane ? 'on' : 'off' };
    const details = { host: new URL(url).host, ...slowLane };
    await changed(tx, actor, { of: to, action: 'webhook.set', details, now });
    return { secret: rows[0]?.is_new === true ? secret : null, isToResume: before.rows[0]?.is_to_resume === true };
  });
  // Resume after the commit, so that waiting deliveries go to the new address. After a crash here the endpoint stays visibly
  // paused.
  const resumed = set.isToResume ? await resumeEndpoint(deps, { ...to, by: actor.by }) : null;
  return { secret: set.secret, ...resumed };
}

/**
 * Creates a new secret; the present one keeps signing for 24 hours. Returns null when there is no endpoint. Throws RATE_LIMITED
 * while a former secret still signs. Only one can sign beside the present one, and a receiver that has not yet learned the
 * present secret would otherwise know none.
 */
export function rotateWebhookSecret(
  deps: Deps,
  of: Endpoint,
  actor: Actor = SYSTEM,
): Promise<{ secret: string } | null> {
  const secret = newWebhookSecret();
  const now = deps.clock.now();
  return transaction(deps.pool, async (tx) => {
    const { rows } = await tx.query<{ previous_until: Date | null }>(
      `SELECT previous_until FROM webhook_endpoints WHERE store_id = $1 AND environment = $2 FOR UPDATE`,
      [of.storeId, of.environment],
    );
    const [endpoint] = rows;
    if (!endpoint) return null;
    checkOverlap(endpoint.previous_until, now);
    await tx.query(
      `UPDATE webhook_endpoints
       SET previous_secret_ciphertext = secret_ciphertext, previous_until = $4, secret_ciphertext = $3
       WHERE store_id = $1 AND environment = $2`,
      [of.storeId, of.environment, sealed(deps, of, secret), new Date(now.getTime() + OVERLAP_MILLISECONDS)],
    );
    await changed(tx, actor, { of, action: 'webhook.rotate', details: {}, now });
    return { secret };
  });
}

function checkOverlap(until: Date | null, now: Date): void {
  const left = until === null ? 0 : Math.ceil((until.getTime() - now.getTime()) / 1000);
  if (left <= 0) return;
  throw new ServiceError('RATE_LIMITED', {
    retryAfter: left,
    message: `The former secret signs until ${until?.toISOString()}. Rotate again after that. To end a leaked secret at once, remove the endpoint and set it anew.`,
  });
}

/** Removes the endpoint and its secret, so that nothing more is sent. Returns false when there was none. */
export function removeWebhookEndpoint(
  deps: Pick<Deps, 'pool' | 'clock'>,
  of: Endpoint,
  actor: Actor = SYSTEM,
): Promise<boolean> {
  return transaction(deps.pool, async (tx) => {
    const { storeId, environment } = of;
    const { count } = await (await prismaOn(tx)).webhookEndpoint.deleteMany({ where: { storeId, environment } });
    if (count !== 1) return false;
    // Ends a pause with its endpoint, so that the next endpoint can have its own.
    await tx.query(
      'UPDATE webhook_pauses SET resumed_at = now(), resumed_by = $3 WHERE store_id = $1 AND environment = $2 AND resumed_at IS NULL',
      [of.storeId, of.environment, actor.by],
    );
    await changed(tx, actor, { of, action: 'webhook.remove', details: {}, now: deps.clock.now() });
    return true;
  });
}

/** Increments the store's version, so that an operator's open page is out of date. */
async function changed(
  tx: Tx,
  actor: Actor,
  { of, action, details, now }: { of: Endpoint; action: string; details: AuditDetails; now: Date },
): Promise<void> {
  const { storeId, environment } = of;
  await (await prismaOn(tx)).store.updateMany({ where: { id: storeId }, data: { version: { increment: 1 } } });
  await auditStore(tx, actor, { storeId, action, target: environment, details: { environment, ...details }, now });
}

async function safeUrl(deps: Deps, to: Endpoint & { url: string }, actor: Actor): Promise<string> {
  const { config, lookup } = deps;
  try {
    return await checkWebhookUrl(to.url, { toLoopback: config.WEBHOOKS_TO_LOOPBACK }, lookup);
  } catch (error) {
    if (!(error instanceof UnsafeAddress)) throw error;
    if (error instanceof PrivateAddress) {
      const { address } = actor;
      noteSecurity(deps, { kind: 'address_refused', address, account: userIdOf(actor), store: to.storeId });
    }
    throw new ServiceError('INVALID_PARAMETER', { param: 'url', message: error.message, cause: error });
  }
}

const sealed = ({ config }: Deps, of: Endpoint, secret: string): Buffer =>
  sealSecret(config.MASTER_KEYS, secret, webhookSecretPurpose(of.storeId, of.environment));
