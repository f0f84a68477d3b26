// The signature as a browser computes it (Web Crypto). For the pages only; the service uses lib/platform/crypto.ts.

/** The sign string and its hexadecimal HMAC-SHA256. Throws on an insecure page, which has no Web Crypto. */
export async function signInBrowser(
  secret: string,
  { timestamp, nonce, body }: { timestamp: string; nonce: string; body: string },
): Promise<{ signString: string; signature: string }> {
  const signString = `${timestamp}.${nonce}.${body}`;
  const text = new TextEncoder();
  const usage = { name: 'HMAC', hash: 'SHA-256' };
  // Web Crypto refuses an empty key; HMAC fills a key up with zeros, so one zero is the same key.
  const bytes = text.encode(secret === '' ? '\0' : secret);
  const key = await crypto.subtle.importKey('raw', bytes, usage, false, ['sign']);
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, text.encode(signString)));
  return { signString, signature: [...signature].map((byte) => byte.toString(16).padStart(2, '0')).join('') };
}

/** Whether this page may sign: Web Crypto exists only on https and on localhost. */
export const canSign = (): boolean => typeof crypto !== 'undefined' && 'subtle' in crypto;
