// API keys of a store. The bearer value is stored as a hash and the secret encrypted, so the callers of `createApiKey` and
// `rollApiKey` show both once. A revocation acts at once on effects and within a second on everything else (verify-key).

import { apiSecretPurpose, isInRanges, SCOPES, USUAL_SCOPES, type Scope } from '@/lib/merchants/api-keys/verify-key';
import type { Context } from '@/lib/platform/context';
import { sealSecret, sha256 } from '@/lib/platform/crypto';
import { transaction, type Db } from '@/lib/platform/database/db';
import { prismaOn } from '@/lib/platform/database/prisma';
import { ServiceError } from '@/lib/platform/errors/errors';
import { newApiKey, newApiSecret, type Environment } from '@/lib/platform/ids';
import { auditStore, SYSTEM, userIdOf, type Actor } from '@/lib/merchants/stores/actor';
import { checkText } from '@/lib/merchants/stores/fields';
import { notifyOwnersOfKey } from './key-mail';

export type NewApiKey = {
  readonly storeId: string;
  readonly environment: Environment;
  readonly name: string;
  /** What the key may do. Defaults to everything that may be given. */
  readonly scopes?: readonly Scope[];
  /** The scopes that the creator may give. Defaults to all. */
  readonly mayGive?: readonly Scope[];
  /** CIDR ranges or single addresses that may use it. Defaults to any. */
  readonly allowedAddresses?: readonly string[];
  /** Whether it refuses signature version 1. By default it accepts both versions. */
  readonly requiresSignatureV2?: boolean;
};

/** A key is found only in its own environment: a permission in `test` must not reach a live key. */
type KeyOf = { readonly storeId: string; readonly environment: Environment; readonly keyId: number };
/** `mayGive`: the scopes that the caller may give. Defaults to all. */
type Given = { readonly mayGive?: readonly Scope[] };

/** `apiKey` and `apiSecret` cannot be read again. */
export type ShownApiKey = { readonly id: number; readonly apiKey: string; readonly apiSecret: string };

const LONGEST_NAME = 100;
const MAX_RANGES = 50;
const HINT_LENGTH = 4;
/** How long a rolled key keeps working beside its successor, by default. At most 7 days. */
const OVERLAP_SECONDS = 86_400;
const LONGEST_OVERLAP_SECONDS = 7 * 86_400;

type Deps = Pick<Context, 'pool' | 'clock' | 'config'>;

/** Creates a key. Throws INVALID_PARAMETER for an invalid name, scope or address range, permission_denied for a scope. */
export function createApiKey(
  { pool, clock, config }: Deps,
  key: NewApiKey,
  actor: Actor = SYSTEM,
): Promise<ShownApiKey> {
  const made = checked(key);
  return transaction(pool, async (tx) => {
    const shown = await insertKey(tx, { clock, config }, { ...made, createdBy: userIdOf(actor) });
    const { storeId, environment, name, scopes, allowedAddresses, requiresSignatureV2 } = made;
    const addresses = { allowed_addresses: allowedAddresses };
    const details = { environment, name, scopes, ...addresses, requires_signature_v2: requiresSignatureV2 };
    const now = clock.now();
    await auditStore(tx, actor, { storeId, action: 'key.create', target: `${shown.id}`, details, now });
    await notifyOwnersOfKey(tx, { config }, { storeId, environment, name, kind: 'KeyCreated', actor, now });
    return shown;
  });
}

/** Revokes a key. Returns false when there is no such key, or it was already revoked. */
export function revokeApiKey({ pool, clock }: Deps, key: KeyOf, actor: Actor = SYSTEM): Promise<boolean> {
  const { storeId, environment, keyId } = key;
  const now = clock.now();
  return transaction(pool, async (tx) => {
    const prisma = await prismaOn(tx);
    const { count } = await prisma.apiKey.updateMany({
      where: { id: keyId, storeId, environment, revokedAt: null },
      data: { revokedAt: now },
    });
    if (count !== 1) return false;
    await auditStore(tx, actor, { storeId, action: 'key.revoke', target: `${keyId}`, now });
    return true;
  });
}

/**
 * Sets whether a key refuses signature version 1. It takes effect within a second (verify-key). Returns false when the store
 * has no such working key. The owners are mailed about a live key. Throws permission_denied for a key with more scopes than the
 * caller may give.
 */
export function requireSignatureV2(
  { pool, clock, config }: Deps,
  key: KeyOf & Given & { isRequired: boolean },
  actor: Actor = SYSTEM,
): Promise<boolean> {
  const { storeId, environment, keyId, isRequired } = key;
  const now = clock.now();
  return transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ scopes: Scope[]; name: string; was_required: boolean }>(
      `UPDATE api_keys k SET requires_signature_v2 = $4
       FROM (SELECT id, requires_signature_v2 FROM api_keys WHERE id = $1 FOR UPDATE) before
       WHERE k.id = before.id AND store_id = $2 AND environment = $3 AND revoked_at IS NULL
         AND (expires_at IS NULL OR expires_at > $5)
       RETURNING scopes, name, before.requires_signature_v2 AS was_required`,
      [keyId, storeId, environment, isRequired, now],
    );
    const changed = rows[0];
    if (!changed) return false;
    checkGiven(changed.scopes, key.mayGive);
    const details = { requires_signature_v2: isRequired };
    await auditStore(tx, actor, { storeId, action: 'key.change', target: `${keyId}`, details, now });
    const { name, was_required: wasRequired } = changed;
    const kind = isRequired ? 'KeyRequiresV2' : 'KeyAllowsV1';
    if (wasRequired !== isRequired)
      await notifyOwnersOfKey(tx, { config }, { storeId, environment, name, kind, actor, now });
    return true;
  });
}

/**
 * Creates a successor with the same name, scopes, addresses and required signature version. The old key keeps working for
 * `overlapSeconds` (a day by default). Returns null when the store has no such working key. Throws permission_denied for a key
 * with more scopes than the caller may give.
 */
export function rollApiKey(
  { pool, clock, config }: Deps,
  key: KeyOf & Given & { overlapSeconds?: number | undefined },
  actor: Actor = SYSTEM,
): Promise<ShownApiKey | null> {
  const { storeId, environment, keyId } = key;
  const overlap = Math.min(Math.max(key.overlapSeconds ?? OVERLAP_SECONDS, 0), LONGEST_OVERLAP_SECONDS);
  const now = clock.now();
  return transaction(pool, async (tx) => {
    const { rows } = await tx.query<RolledRow>(
      `UPDATE api_keys SET expires_at = least(expires_at, $4)
       WHERE id = $1 AND store_id = $2 AND environment = $3 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $5)
       RETURNING name, scopes, allowed_addresses, requires_signature_v2`,
      [keyId, storeId, environment, new Date(now.getTime() + overlap * 1000), now],
    );
    const old = rows[0];
    if (!old) return null;
    const { name, scopes, allowed_addresses: allowedAddresses, requires_signature_v2: requiresSignatureV2 } = old;
    checkGiven(scopes, key.mayGive);
    const same = { storeId, environment, name, scopes, allowedAddresses, requiresSignatureV2 };
    const shown = await insertKey(tx, { clock, config }, { ...same, createdBy: userIdOf(actor) });
    const details = { successor: shown.id, overlap_seconds: overlap };
    await auditStore(tx, actor, { storeId, action: 'key.roll', target: `${keyId}`, details, now });
    await notifyOwnersOfKey(tx, { config }, { storeId, environment, name, kind: 'KeyCreated', actor, now });
    return shown;
  });
}

type RolledRow = { name: string; scopes: Scope[]; allowed_addresses: string[]; requires_signature_v2: boolean };

type Checked = Required<Omit<NewApiKey, 'mayGive'>>;

function checked({ mayGive = SCOPES, ...key }: NewApiKey): Checked {
  const { scopes = USUAL_SCOPES.filter((scope) => mayGive.includes(scope)), allowedAddresses = [] } = key;
  if (scopes.length === 0 || !scopes.every((scope) => SCOPES.includes(scope))) {
    throw new ServiceError('INVALID_PARAMETER', {
      param: 'scopes',
      message: `scopes must be some of ${SCOPES.join(', ')}.`,
    });
  }
  checkGiven(scopes, mayGive);
  if (allowedAddresses.length > MAX_RANGES || !allowedAddresses.every(isRange)) {
    const message = `allowed_addresses must be at most ${MAX_RANGES} addresses or CIDR ranges.`;
    throw new ServiceError('INVALID_PARAMETER', { param: 'allowed_addresses', message });
  }
  const name = checkText('name', key.name, LONGEST_NAME);
  return { requiresSignatureV2: false, ...key, name, scopes: [...new Set(scopes)], allowedAddresses };
}

/** A creator sees the key's secret, so a key may not do more than its creator. */
function checkGiven(scopes: readonly Scope[], mayGive: readonly Scope[] = SCOPES): void {
  const beyond = scopes.filter((scope) => !mayGive.includes(scope));
  if (beyond.length === 0) return;
  const message = `Your role may not give a key ${beyond.join(', ')}. Ask an owner of the store.`;
  throw new ServiceError('permission_denied', { param: 'scopes', message });
}

/** Whether the check of requests can parse the range. */
function isRange(text: string): boolean {
  try {
    isInRanges('192.0.2.1', [text]);
    return /^[0-9a-f.:]+(\/\d{1,3})?$/i.test(text);
  } catch {
    // ipaddr.js throws a plain Error for invalid text and has no other check.
    return false;
  }
}

async function insertKey(
  db: Db,
  { clock, config }: Omit<Deps, 'pool'>,
  key: Checked & { readonly createdBy: string | null },
): Promise<ShownApiKey> {
  const apiKey = newApiKey(key.environment);
  const apiSecret = newApiSecret(key.environment);
  const keyHash = sha256(apiKey);
  const sealed = sealSecret(config.MASTER_KEYS, apiSecret, apiSecretPurpose(keyHash));
  const { storeId, environment, name, scopes, allowedAddresses, requiresSignatureV2, createdBy } = key;
  const prisma = await prismaOn(db);
  const { id } = await prisma.apiKey.create({
    data: {
      storeId,
      environment,
      name,
      keyHash: new Uint8Array(keyHash),
      keyHint: apiKey.slice(-HINT_LENGTH),
      secretCiphertext: new Uint8Array(sealed),
      scopes: [...scopes],
      allowedAddresses: [...allowedAddresses],
      requiresSignatureV2,
      createdAt: clock.now(),
      createdBy,
    },
    select: { id: true },
  });
  return { id, apiKey, apiSecret };
}
