// The shop as a merchant's server, written as a merchant would write it: the SDK with the first store's test key for sessions and
// webhooks, and the public status of a session, which the SDK leaves to the hosted page.

import fs from 'node:fs';
import path from 'node:path';
import {
  ConnectionError,
  ServerError,
  Stabletill,
  verifyWebhook,
  WebhookVerificationError,
  type PaymentSession,
  type ReadSession,
  type SessionParams,
} from '@stabletill/sdk';
import { z } from 'zod';
import type { Clock } from '@/lib/platform/clock';
import type { Received } from '../receiver/inbox';

const REQUEST_LIMIT_MS = 10_000;

const description = z.object({
  stores: z
    .array(z.object({ id: z.string(), api_key: z.string(), api_secret: z.string(), webhook_secret: z.string() }))
    .min(1),
});
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

export type PublicStatus = z.output<typeof publicStatus>;
export type Store = z.output<typeof description>['stores'][number];

export class MerchantServer {
  readonly #publicUrl: string;
  readonly #dataDirectory: string;
  readonly #clock: Clock;
  #client: { readonly store: Store; readonly stabletill: Stabletill } | null = null;

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

  createSession(store: Store, order: SessionParams): Promise<PaymentSession> {
    return this.#stabletill(store).sessions.create(order);
  }

  readSession(store: Store, id: string): Promise<ReadSession> {
    return this.#stabletill(store).sessions.retrieve(id);
  }

  /** The hosted page's status: where to pay and how much is missing. Throws StabletillError like the others. */
  async publicStatus(sessionId: string): Promise<PublicStatus> {
    const answer = await fetch(`${this.#publicUrl}/pay/${sessionId}/status`, {
      redirect: 'error',
      signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
    }).catch((cause: Error) => {
      const message = 'The public status of the session could not be read.';
      throw new ConnectionError({ message, code: 'connection_failed', type: 'connection_error', cause });
    });
    if (answer.ok) return publicStatus.parse(await answer.json());
    const message = `The public status of the session was answered with status ${answer.status}.`;
    throw new ServerError({ message, code: 'unexpected_answer', type: 'api_error', status: answer.status });
  }

  /** Whether a delivery was signed with the store's webhook secret, over the raw bytes and with its timestamp. */
  async isGenuine(store: Store, { headers, body, receivedAt }: Received): Promise<boolean> {
    try {
      await verifyWebhook({ headers, body, secret: store.webhook_secret, receivedAt: new Date(receivedAt) });
      return true;
    } catch (error) {
      if (error instanceof WebhookVerificationError) return false;
      throw error;
    }
  }

  /** One client for as long as the demo accounts stay the same. */
  #stabletill(store: Store): Stabletill {
    const isSame = this.#client?.store.api_key === store.api_key && this.#client.store.api_secret === store.api_secret;
    if (this.#client && isSame) return this.#client.stabletill;
    const stabletill = new Stabletill({
      apiKey: store.api_key,
      apiSecret: store.api_secret,
      baseUrl: this.#publicUrl,
      timeoutMs: REQUEST_LIMIT_MS,
      now: () => this.#clock.now().getTime(),
    });
    this.#client = { store, stabletill };
    return stabletill;
  }
}
