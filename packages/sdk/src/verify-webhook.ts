// Verifies over the raw bytes that a webhook comes from the service, and returns its event. Trust no part of a delivery before
// this returns.

import { WebhookVerificationError } from './errors';
import { machineTime } from './platform';
import { fromHex, openMac, sameBytes, signString } from './signature';
import type { WebhookEvent } from './webhook-event';

export type Delivery = {
  /** The body as received: bytes, or the text decoded from them. Never parse and serialize it first. */
  readonly body: string | Uint8Array | ArrayBuffer;
  /** All headers of the request: a `Headers` object, or a map from names to values as in Node's http and most frameworks. */
  readonly headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>;
  /** `whsec_…` */
  readonly secret: string;
  /** The secret before the last rotation, while both are valid. */
  readonly previousSecret?: string | undefined;
  /** Seconds that the timestamp may differ from now; default 300. */
  readonly tolerance?: number | undefined;
  /** When the request arrived; default now. For deliveries that waited in your own queue. */
  readonly receivedAt?: Date | undefined;
};

const TOLERANCE_SECONDS = 300;
const SIGNATURE = 'X-Service-Signature';
/** During a rotation the service signs with both secrets: this header has the old one's signature. */
const PREVIOUS_SIGNATURE = 'X-Service-Signature-Previous';
const TIMESTAMP = 'X-Service-Timestamp';
const NONCE = 'X-Service-Nonce';

/** The event of a genuine delivery. Throws WebhookVerificationError, whose `code` names the part that failed. */
export async function verifyWebhook(delivery: Delivery): Promise<WebhookEvent> {
  const { headers, tolerance = TOLERANCE_SECONDS, receivedAt } = delivery;
  const body = rawBytes(delivery.body);
  const secrets = readSecrets(delivery);
  const timestamp = readHeader(headers, TIMESTAMP, /^\d{10}$/, 'the Unix time in seconds');
  // A dot in the nonce would let two deliveries share a signature.
  const nonce = readHeader(headers, NONCE, /^[!-\-/-~]{1,255}$/, 'visible characters without a dot');
  const signatures = readSignatures(headers);
  checkTimestamp(timestamp, { now: receivedAt?.getTime() ?? machineTime(), tolerance });

  let isGenuine = false;
  for (const secret of secrets) {
    const mac = await openMac(secret);
    const expected = await mac(signString({ timestamp, nonce, body }));
    for (const signature of signatures) isGenuine = sameBytes(signature, expected) || isGenuine;
  }
  if (!isGenuine) throw mismatch();
  return readEvent(body);
}

function rawBytes(body: unknown): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (ArrayBuffer.isView(body)) return new Uint8Array(body.buffer, body.byteOffset, body.byteLength);
  // Checked by name, because the buffer may come from another realm.
  if (Object.prototype.toString.call(body) === '[object ArrayBuffer]') return new Uint8Array(body as ArrayBuffer);
  throw new WebhookVerificationError({
    code: 'body_not_raw',
    message:
      'The body must be the raw bytes or text of the request, and this is neither. A framework has parsed it, perhaps: ' +
      'take request.text(), or express.raw({ type: "application/json" }).',
  });
}

/** A missing secret is a bug in the program and must never look like a forged delivery. */
function readSecrets({ secret, previousSecret, tolerance }: Delivery): readonly string[] {
  const secrets = previousSecret === undefined ? [secret] : [secret, previousSecret];
  if (!secrets.every((one) => typeof one === 'string' && one !== '')) {
    throw new TypeError(
      'secret must be the webhook secret (whsec_…). Is the environment variable STABLETILL_WEBHOOK_SECRET set?',
    );
  }
  if (tolerance !== undefined && !(tolerance >= 0 && tolerance < Infinity)) {
    throw new TypeError('tolerance must be a number of seconds.');
  }
  return secrets;
}

function readSignatures(headers: Delivery['headers']): Uint8Array[] {
  const [digits, wanted] = [/^[0-9a-fA-F]{64}$/, '64 hexadecimal digits'] as const;
  const texts = [readHeader(headers, SIGNATURE, digits, wanted)];
  if (valuesOf(headers, PREVIOUS_SIGNATURE).length > 0) {
    texts.push(readHeader(headers, PREVIOUS_SIGNATURE, digits, wanted));
  }
  return texts.flatMap((text) => fromHex(text) ?? []);
}

function readHeader(headers: Delivery['headers'], name: string, pattern: RegExp, wanted: string): string {
  const [value, ...others] = valuesOf(headers, name);
  if (value === undefined || value === '') {
    throw new WebhookVerificationError({
      code: 'missing_header',
      header: name,
      message: `The header ${name} is missing. Hand over all headers of the request.`,
    });
  }
  if (others.length > 0 || !pattern.test(value)) {
    const message = `The header ${name} must be there once and be ${wanted}.`;
    throw new WebhookVerificationError({ code: 'invalid_header', header: name, message });
  }
  return value;
}

function valuesOf(headers: Delivery['headers'], name: string): readonly string[] {
  const wanted = name.toLowerCase();
  if (typeof headers.get === 'function') {
    const value = (headers as Headers).get(wanted);
    return value === null ? [] : [value];
  }
  return Object.entries(headers).flatMap(([one, value]) => (one.toLowerCase() === wanted ? (value ?? []) : []));
}

function checkTimestamp(timestamp: string, { now, tolerance }: { now: number; tolerance: number }): void {
  const away = Math.floor(now / 1000) - Number(timestamp);
  if (Math.abs(away) <= tolerance) return;
  throw new WebhookVerificationError({
    code: 'timestamp_out_of_range',
    header: TIMESTAMP,
    message:
      `The delivery was signed ${Math.abs(away)} s ${away > 0 ? 'ago' : 'in the future'}, and ${tolerance} s are allowed. ` +
      'It is a repetition of an old one, or the clock of this machine is wrong.',
  });
}

function mismatch(): WebhookVerificationError {
  return new WebhookVerificationError({
    code: 'signature_mismatch',
    header: SIGNATURE,
    message:
      'The signature does not match the body. Either the secret is not that of this endpoint, or the body is not what came: ' +
      'parsed and written again (JSON.stringify) it has other bytes. Hand over the raw bytes.',
  });
}

function readEvent(body: Uint8Array): WebhookEvent {
  try {
    const event = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as WebhookEvent;
    if (typeof event.id === 'string' && typeof event.type === 'string' && typeof event.data.object === 'object') {
      return event;
    }
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
  }
  const message = 'The delivery is genuine, and its body is no event that this version of the package knows.';
  throw new WebhookVerificationError({ code: 'invalid_body', message });
}
