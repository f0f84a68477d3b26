// The events that happened, so that a merchant who missed webhooks can catch up.

import { Listing, type PageParams } from './listing';
import type { Optional } from './requests';
import type { CallOptions, Transport } from './transport';
import type { WebhookEvent } from './webhook-event';

export type EventListParams = PageParams & Optional<{ type: WebhookEvent['type'] }>;

export class Events {
  readonly #transport: Transport;

  /** @internal */
  constructor(transport: Transport) {
    this.#transport = transport;
  }

  list(params: EventListParams = {}, options?: CallOptions): Listing<WebhookEvent> {
    return new Listing(this.#transport, '/api/v1/events', params, options);
  }
}
