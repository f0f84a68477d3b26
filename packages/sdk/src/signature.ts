// The signature of webhooks, and of requests by signature version 1: HMAC-SHA256 over timestamp, nonce and raw body, by Web Crypto,
// which every runtime has. Pure but for the cryptography; secrets go in and never come out.

export type Signed = {
  /** Unix seconds, ten digits. */
  readonly timestamp: string;
  readonly nonce: string;
  /** The exact bytes that are sent or came. */
  readonly body: Uint8Array;
};

/** The HMAC-SHA256 of bytes under the one secret that it was opened with. */
export type Mac = (bytes: Uint8Array<ArrayBuffer>) => Promise<Uint8Array<ArrayBuffer>>;

const encoder = new TextEncoder();

/** For a secret, whole and with its prefix. The secret becomes a key that no code can read back. */
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

/** Two lower-case hexadecimal digits for every byte. */
export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The bytes of 64 hexadecimal digits of either case; null for any other text. */
export function fromHex(text: string): Uint8Array | null {
  if (!/^[0-9a-fA-F]{64}$/.test(text)) return null;
  return Uint8Array.from({ length: 32 }, (_, n) => Number(`0x${text.slice(2 * n, 2 * n + 2)}`));
}

/** Whether two byte strings are equal, in time that depends on their length only. */
export function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (const [n, byte] of one.entries()) difference |= byte ^ (other[n] ?? 0);
  return difference === 0;
}
