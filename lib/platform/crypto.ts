// Encrypts and compares secrets with Node's own cryptography. Secrets use AES-256-GCM under a versioned master key, so that old
// secrets still open after a rotation. Signatures are HMAC-SHA256. Comparison takes constant time.

import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * Maps the version of a master key to its 32 bytes. The first one seals, every one opens. `auditOnly`: keys of the audit log's chain that were
 * derived from versions which are no longer here (docs/operate/rotation.md).
 */
export type MasterKeys = ReadonlyMap<number, Buffer> & { readonly auditOnly?: ReadonlyMap<number, Buffer> };

const IV_BYTES = 12;
const TAG_BYTES = 16;

/** The version under which new secrets are sealed. */
export function sealingVersion(keys: MasterKeys): number {
  const [version] = keys.keys();
  if (version === undefined) throw new Error('no master key is configured');
  return version;
}

/** The version of the master key that a secret is sealed under, from its first bytes. */
export const versionOf = (sealed: Uint8Array): number => Buffer.from(sealed).readUInt16BE(0);

/**
 * Encrypts a secret under the master key that seals. `purpose` is bound to it, so a ciphertext copied to another column or row does
 * not open. Layout: version (2 bytes), IV (12), tag (16), ciphertext.
 */
export function sealSecret(keys: MasterKeys, secret: string, purpose: string): Buffer {
  const version = sealingVersion(keys);
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', masterKey(keys, version), iv);
  cipher.setAAD(Buffer.from(purpose));
  const sealed = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
  const head = Buffer.alloc(2);
  head.writeUInt16BE(version);
  return Buffer.concat([head, iv, cipher.getAuthTag(), sealed]);
}

/** Opens what `sealSecret` made for the same purpose. Throws when the key version is unknown or the bytes were altered. */
export function openSecret(keys: MasterKeys, sealed: Uint8Array, purpose: string): string {
  const bytes = Buffer.from(sealed);
  const iv = bytes.subarray(2, 2 + IV_BYTES);
  const tag = bytes.subarray(2 + IV_BYTES, 2 + IV_BYTES + TAG_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', masterKey(keys, versionOf(bytes)), iv);
  decipher.setAAD(Buffer.from(purpose));
  decipher.setAuthTag(tag);
  return Buffer.concat([decipher.update(bytes.subarray(2 + IV_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
}

function masterKey(keys: MasterKeys, version: number): Buffer {
  const key = keys.get(version);
  if (!key) throw new Error(`master key version ${version} is not configured`);
  return key;
}

/** SHA-256 of text or bytes. */
export const sha256 = (data: string | Uint8Array): Buffer => createHash('sha256').update(data).digest();

/** HMAC-SHA256 of timestamp + "." + nonce + "." + body: signature version 1. 32 bytes. */
export function signatureOf(secret: string, timestamp: string, nonce: string, body: string | Uint8Array): Buffer {
  return createHmac('sha256', secret).update(`${timestamp}.${nonce}.`).update(body).digest();
}

/** HMAC-SHA256 of one text; 32 bytes. */
export const hmacSha256 = (secret: string | Uint8Array, text: string): Buffer =>
  createHmac('sha256', secret).update(text).digest();

/**
 * HMAC-SHA256 of a list of texts; 32 bytes. Each text is bound separately, so two different lists never share an input. The
 * first text says what the MAC is for.
 */
export const macOf = (key: Uint8Array, parts: readonly string[]): Buffer =>
  createHmac('sha256', key).update(JSON.stringify(parts)).digest();

/** Keys of MACs that are kept: the first one makes them, every one verifies (docs/operate/rotation.md). */
export type MacKeys = readonly [Uint8Array, ...Uint8Array[]];

/** `macOf` under the key that makes MACs. */
export const makeMac = (keys: MacKeys, parts: readonly string[]): Buffer => macOf(keys[0], parts);

/** Whether one of the keys made the MAC over these texts. */
export const isMac = (keys: MacKeys, parts: readonly string[], mac: Uint8Array): boolean =>
  keys.some((key) => sameBytes(macOf(key, parts), mac));

/** Whether two byte strings are equal, in time that depends on their length only. */
export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b);
