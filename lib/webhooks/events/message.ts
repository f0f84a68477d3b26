// An event as one attempt sends it: the documented headers and the raw body, signed for this attempt (spec: Events, Delivery).

import { signatureOf } from '@/lib/platform/crypto';

export type Message = {
  readonly eventId: string;
  readonly type: string;
  /** The exact text that was stored. */
  readonly body: string;
  readonly secret: string;
  /** Signs too while a rotation's overlap lasts. */
  readonly previousSecret: string | null;
};

/** Headers of one attempt. `timestamp` in Unix seconds; `nonce` a UUID v4; both fresh for every attempt. */
export function signedHeaders(
  message: Message,
  { timestamp, nonce }: { timestamp: number; nonce: string },
): Record<string, string> {
  const sign = (secret: string) => signatureOf(secret, String(timestamp), nonce, message.body).toString('hex');
  return {
    'Content-Type': 'application/json',
    'User-Agent': 'Service-Webhook/1.0',
    'X-Service-Signature': sign(message.secret),
    ...(message.previousSecret === null ? {} : { 'X-Service-Signature-Previous': sign(message.previousSecret) }),
    'X-Service-Timestamp': String(timestamp),
    'X-Service-Nonce': nonce,
    'X-Service-Event-Type': message.type,
    'X-Service-Event-ID': message.eventId,
  };
}

/** What is kept of a signature: enough to compare with another by eye, far too little to use. */
const KEPT_OF_SIGNATURE = 8;

/** The headers as an attempt's row keeps them and the console shows them: the signatures cut. */
export const redactedHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      name.startsWith('X-Service-Signature') ? `${value.slice(0, KEPT_OF_SIGNATURE)}…` : value,
    ]),
  );
