// Hearing the test environment's events without a public address: one long poll after the other.

import type { CallOptions } from './options';
import type { Optional } from './requests';
import type { Transport } from './transport';

export type ListenParams = Optional<{
  /** `resume_cursor` of the answer before. Without it the answer comes at once and says where to listen from. */
  cursor: string;
  /** Seconds to wait for an event, 0 to 20; 20 unless given. */
  wait: number;
}>;

/** `body`: the exact text that a webhook would have as its body. */
export type HeardEvent = { readonly event_id: string; readonly event_type: string; readonly body: string };
export type HeardEvents = { readonly data: readonly HeardEvent[]; readonly resume_cursor: string };

/** @internal */
export const listenOnce = (
  transport: Transport,
  { cursor, wait }: ListenParams,
  options?: CallOptions,
): Promise<HeardEvents> => {
  const query = new URLSearchParams();
  if (cursor !== undefined) query.set('cursor', cursor);
  if (wait !== undefined) query.set('wait', String(wait));
  const path = `/api/v1/events/listen${query.size > 0 ? `?${query}` : ''}`;
  return transport.call({ method: 'GET', path, repeatable: 'always' }, options) as Promise<HeardEvents>;
};
