// Past events, so that a merchant can catch up after missed webhooks.

import { Listing, type PageParams } from './listing';
import type { Optional } from './requests';
import type { CallOptions } from './options';
import type { Transport } from './transport';
import type { WebhookEvent } from './webhook-event';

export type EventListParams = PageParams &
  Optional<{
    type: WebhookEvent['type'];
    /** The session's id, or your `refund_id` for refund events. */
    object_id: string;
    /** 'asc' is oldest first and misses nothing, for catching up; 'desc' (default) is newest first. */
    order: 'asc' | 'desc';
  }>;

export type ListenParams = {
  /** Without it, the answer comes at once and contains the starting cursor. */
  readonly cursor?: string | undefined;
  /** Seconds, 0 to 20. */
  readonly wait?: number | undefined;
};

export type HeardEvent = { readonly event_id: string; readonly event_type: string; readonly body: string };
export type HeardEvents = { readonly data: readonly HeardEvent[]; readonly resume_cursor: string };

export class Events {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(params: EventListParams = {}, options?: CallOptions): Listing<WebhookEvent> {
    return new Listing(this.#transport, '/api/v1/events', params, options);
  }

  /** Waits for events in the test environment. */
  listen(params: ListenParams = {}, options?: CallOptions): Promise<HeardEvents> {
    const query = new URLSearchParams({
      ...(params.cursor !== undefined && { cursor: params.cursor }),
      ...(params.wait !== undefined && { wait: String(params.wait) }),
    });
    const call = { method: 'GET', path: `/api/v1/events/listen?${query}`, repeatable: 'always' } as const;
    return this.#transport.call(call, options) as Promise<HeardEvents>;
  }
}
