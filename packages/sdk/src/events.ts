// The events that happened, so that a merchant who missed webhooks can catch up.

import { listenOnce, type HeardEvents, type ListenParams } from './listen';
import { Listing, type PageParams } from './listing';
import type { Optional } from './requests';
import type { CallOptions } from './options';
import type { Transport } from './transport';
import type { WebhookEvent } from './webhook-event';

export type EventListParams = PageParams &
  Optional<{
    type: WebhookEvent['type'];
    /** The session that the events are about, or the refund by your `refund_id`. */
    object_id: string;
    /** 'asc' is oldest first and misses nothing, for catching up; 'desc', the usual, is newest first. */
    order: 'asc' | 'desc';
  }>;

export class Events {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(params: EventListParams = {}, options?: CallOptions): Listing<WebhookEvent> {
    return new Listing(this.#transport, '/api/v1/events', params, options);
  }

  /** What happens in the test environment, as soon as it does; test keys only. `stabletill listen` is made of it. */
  listen(params: ListenParams = {}, options?: CallOptions): Promise<HeardEvents> {
    return listenOnce(this.#transport, params, options);
  }
}
