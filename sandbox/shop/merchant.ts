// The shop as a merchant's server: signed requests to the product with the first store's test key, the public status of a
// session, and the check of a webhook's signature. Written as a merchant would, from the specification.

import { randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { unixSeconds, type Clock } from '@/lib/clock';
import { sameBytes, signatureOf } from '@/lib/crypto';
import type { Received } from '../receiver/inbox';

const REQUEST_LIMIT_MS = 10_000;
/** A webhook whose timestamp is further away is a replay (spec: Signature verification). */
const TOLERANCE_SECONDS = 300;

const description = z.object({
  stores: z
    .array(z.object({ id: z.string(), api_key: z.string(), api_secret: z.string(), webhook_secret: z.string() }))
    .min(1),
});
const session = z.object({ id: z.string(), url: z.string(), status: z.string(), payment_status: z.string() });
const publicStatus = z.object({
  amount_due: z.string(),
  amount_received: z.string(),
  methods: z.array(
    z.object({
      network: z.string(),
      currency: z.string(),
      address: z.string(),
      amount: z.string().regex(/^\d+\.\d\d$/),
    }),
  ),
});

export type MerchantSession = z.output<typeof session>;
export type PublicStatus = z.output<typeof publicStatus>;
export type Store = z.output<typeof description>['stores'][number];

/** The product refused a request; `code` is its own. Without a status it could not be reached. */
export class ServiceFault extends Error {
  readonly status: number | null;
  readonly code: string;
  constructor(status: number | null, code: string, options?: ErrorOptions) {
    super(`${status ?? 'unreachable'}: ${code}`, options);
    this.status = status;
    this.code = code;
  }
}

export class MerchantServer {
  readonly #publicUrl: string;
  readonly #dataDirectory: string;
  readonly #clock: Clock;

  constructor(options: { publicUrl: string; dataDirectory: string; clock: Clock }) {
    this.#publicUrl = options.publicUrl;
    this.#dataDirectory = options.dataDirectory;
    this.#clock = options.clock;
  }

  /** The store that the shop sells for, or null while the demo accounts are not written yet. */
  store(): Store | null {
    const file = path.join(this.#dataDirectory, 'sandbox.json');
    if (!fs.existsSync(file)) return null;
    return description.parse(JSON.parse(fs.readFileSync(file, 'utf8'))).stores[0] ?? null;
  }

  async createSession(store: Store, order: object): Promise<MerchantSession> {
    const body = JSON.stringify(order);
    return session.parse(await this.#signed(store, 'POST', '/api/v1/checkout/sessions/create', body));
  }

  async readSession(store: Store, id: string): Promise<MerchantSession> {
    return session.parse(await this.#signed(store, 'GET', `/api/v1/checkout/sessions/${id}`, ''));
  }

  /** What the hosted page reads too: where to pay and how much is missing. */
  async publicStatus(sessionId: string): Promise<PublicStatus> {
    return publicStatus.parse(await this.#exchange(`/pay/${sessionId}/status`, { method: 'GET' }));
  }

  /** Whether a delivery was signed with the store's webhook secret, over the raw bytes and at the time it came. */
  isGenuine(store: Store, { headers, body, receivedAt }: Received): boolean {
    const timestamp = headers['x-service-timestamp'] ?? '';
    const nonce = headers['x-service-nonce'] ?? '';
    const signature = headers['x-service-signature'] ?? '';
    if (!/^\d{10}$/.test(timestamp) || nonce === '' || !/^[0-9a-f]{64}$/i.test(signature)) return false;
    if (Math.abs(receivedAt / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) return false;
    return sameBytes(signatureOf(store.webhook_secret, timestamp, nonce, body), Buffer.from(signature, 'hex'));
  }

  #signed(store: Store, method: 'GET' | 'POST', at: string, body: string): Promise<unknown> {
    const timestamp = String(unixSeconds(this.#clock.now()));
    const nonce = randomUUID();
    return this.#exchange(at, {
      method,
      headers: {
        authorization: `Bearer ${store.api_key}`,
        'x-service-timestamp': timestamp,
        'x-service-nonce': nonce,
        'x-service-signature': signatureOf(store.api_secret, timestamp, nonce, body).toString('hex'),
        ...(method === 'POST' ? { 'content-type': 'application/json' } : {}),
      },
      ...(method === 'POST' ? { body } : {}),
    });
  }

  async #exchange(at: string, request: RequestInit): Promise<unknown> {
    const answer = await fetch(`${this.#publicUrl}${at}`, {
      ...request,
      redirect: 'error',
      signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
    }).catch((cause: Error) => {
      throw new ServiceFault(null, cause.message, { cause });
    });
    const read = (await answer.json().catch(() => null)) as { error?: { code?: unknown } } | null;
    if (answer.ok) return read;
    throw new ServiceFault(answer.status, String(read?.error?.code ?? 'no code'));
  }
}
