// An event as sent in one attempt: the documented headers and the raw body, signed for this attempt.

import { signatureOf } from '@/lib/platform/crypto';

export type Message = {
  readonly eventId: string;
  readonly type: string;
  /** The exact text that was stored. */
  readonly body: string;
  readonly secret: string;
  /** Also signs during the overlap of a rotation. */
  readonly previousSecret: string | null;
};

/** Headers of one attempt. `timestamp` in Unix seconds; `nonce` a UUID v4; both are new for every attempt. */
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

/** The stored part of a signature: enough to compare by eye, far too little to use. */
const KEPT_OF_SIGNATURE = 8;

/** The headers stored in an attempt's row and shown in the console, with truncated signatures. */
export const redactedHeaders = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      name.startsWith('X-Service-Signature') ? `${value.slice(0, KEPT_OF_SIGNATURE)}…` : value,
    ]),
  );
