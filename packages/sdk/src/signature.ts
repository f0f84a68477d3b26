// The signature of webhooks, and of requests with signature version 1: HMAC-SHA256 over timestamp, nonce and raw body, through
// Web Crypto, which every runtime has. Pure except for the cryptography; secrets never leave it.

export type Signed = {
  /** Unix seconds, ten digits. */
  readonly timestamp: string;
  readonly nonce: string;
  /** The exact bytes sent or received. */
  readonly body: Uint8Array;
};

/** The HMAC-SHA256 of bytes under the secret it was opened with. */
export type Mac = (bytes: Uint8Array<ArrayBuffer>) => Promise<Uint8Array<ArrayBuffer>>;

const encoder = new TextEncoder();

/** Opens a secret, whole and with its prefix. It becomes a key that code cannot export. */
export async function openMac(secret: string): Promise<Mac> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign']);
  return async (bytes) => new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes));
}

/** timestamp + "." + nonce + "." + body, as bytes. */
export function signString({ timestamp, nonce, body }: Signed): Uint8Array<ArrayBuffer> {
  const head = encoder.encode(`${timestamp}.${nonce}.`);
  const whole = new Uint8Array(head.length + body.length);
  whole.set(head);
  whole.set(body, head.length);
  return whole;
}

/** Two lower-case hexadecimal digits per byte. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The bytes of 64 hexadecimal digits in either case; null for any other text. */
export function fromHex(text: string): Uint8Array | null {
  if (!/^[0-9a-fA-F]{64}$/.test(text)) return null;
  return Uint8Array.from({ length: 32 }, (_, n) => Number(`0x${text.slice(2 * n, 2 * n + 2)}`));
}

/** Whether two byte strings are equal, in time that depends only on their length. */
export function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (const [n, byte] of one.entries()) difference |= byte ^ (other[n] ?? 0);
  return difference === 0;
}
