// Posts one event to a local server, with the headers of a webhook.

import { createHmac } from 'node:crypto';
import type { HeardEvent } from './events';
import { machineTime } from './platform';

/** The timeout of a real webhook. */
const LONGEST_MS = 30_000;

/** `line`: the result. `isAway`: no answer came, so the event may be posted again. */
export type Forwarded = { readonly line: string; readonly isAway: boolean };

/** Never throws. */
export async function forward(
  { event_id: id, event_type: type, body }: HeardEvent,
  { to, secret, signal }: { to: string; secret: string; signal: AbortSignal },
): Promise<Forwarded> {
  const timestamp = String(Math.floor(machineTime() / 1000));
  const nonce = crypto.randomUUID();
  const began = performance.now();
  const line = (what: string): string => `${type} ${id} -> ${what} (${Math.round(performance.now() - began)} ms)`;
  try {
    const answer = await fetch(to, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': 'Service-Webhook/1.0',
        'X-Service-Signature': createHmac('sha256', secret).update(`${timestamp}.${nonce}.${body}`).digest('hex'),
        'X-Service-Timestamp': timestamp,
        'X-Service-Nonce': nonce,
        'X-Service-Event-Type': type,
        'X-Service-Event-ID': id,
      },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(LONGEST_MS)]),
    });
    await answer.body?.cancel();
    return { line: line(String(answer.status)), isAway: false };
  } catch (error) {
    const { name, cause } = error as { name: string; cause?: { code?: string } };
    return { line: line(cause?.code ?? name), isAway: true };
  }
}
