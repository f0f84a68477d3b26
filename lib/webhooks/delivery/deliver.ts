// The webhook dispatcher: leases due deliveries, calls the receivers in parallel, and stores the outcomes. Calls are
// bounded in total and per endpoint and host, so a hanging receiver does not delay the others. The worker's loop
// (run.ts) runs it, and the cron route runs one pass at a time.

import { randomUUID } from 'node:crypto';
import { unixSeconds } from '@/lib/platform/clock';
import type { Context, Step } from '@/lib/platform/context';
import { openSecret } from '@/lib/platform/crypto';
import { eachAlone } from '@/lib/platform/database/quarantine';
import { noteSecurity } from '@/lib/platform/security/events';
import { observeAttempt } from './observe-attempt';
import { leaseDue, deliverySubject, type LeasedDelivery, type Endpoint } from './lease';
import { openConnections } from './connections';
import { callReceiver, type CallOptions } from './dial';
import { FIRST_PER_HOST, hostOfUrl, MAX_PER_HOST, openHosts } from './hosts';
import { noteChange } from '@/lib/platform/database/changes';
import { redactedHeaders, signedHeaders } from '@/lib/webhooks/events/message';
import { openOutcomes } from './outcomes';
import { next } from './schedule';
import { webhookSecretPurpose } from '@/lib/webhooks/endpoint/secret';
import type { Ended } from './write-outcomes';

export type Dispatcher = {
  /** Leases and starts as many due deliveries as fit. Resolves to their number without waiting for the calls. */
  readonly pump: () => Promise<number>;
  /** Resolves to true when every started call has ended and is stored, or to false when that takes longer. */
  readonly idle: (milliseconds: number) => Promise<boolean>;
  /** Closes the pooled connections. */
  readonly close: () => void;
};

export type DispatcherOptions = Partial<Omit<CallOptions, 'reach' | 'connections'>> & {
  /** Called when a call has ended and there is room again. */
  readonly onRoom?: () => void;
  readonly mostInFlight?: number;
  readonly mostPerEndpoint?: number;
};

/** Sockets and 2 kB response bodies of this many calls take some 50 MB in the worst case. */
const MAX_IN_FLIGHT = 512;
/** Limit per endpoint. A receiver that takes 1 s per call still gets 64 events a second. */
const MAX_PER_ENDPOINT = 64;
/** An endpoint gets at most this fraction of the remaining room, so that many hanging endpoints never fill it. */
const SHARE_OF_ROOM = 8;
/** The cron route's request must end. Calls that still hang then finish without it, or are leased again later. */
const BATCH_MILLISECONDS = 25_000;

/**
 * Opens a dispatcher. Any number may run in parallel, also in other processes: the database leases each delivery to
 * one.
 */
export function openDispatcher(context: Context, options: DispatcherOptions = {}): Dispatcher {
  const {
    mostInFlight = MAX_IN_FLIGHT,
    mostPerEndpoint = MAX_PER_ENDPOINT,
    onRoom = () => {},
    ...callOptions
  } = options;
  const reach = { toLoopback: context.config.WEBHOOKS_TO_LOOPBACK };
  const writeOutcome = openOutcomes(context);
  const calls = new Set<Promise<void>>();
  const endpoints = new Map<string, Endpoint & { count: number }>();
  const hosts = openHosts(reach.toLoopback ? MAX_PER_HOST : FIRST_PER_HOST);
  const connections = openConnections();
  let pumping: Promise<unknown> = Promise.resolve();

  const pump = async (): Promise<number> => {
    const room = mostInFlight - calls.size;
    if (room <= 0) return 0;
    const perEndpoint = Math.min(mostPerEndpoint, Math.ceil(room / SHARE_OF_ROOM));
    const inFlight = [...endpoints.values()];
    const leased = await leaseDue(context, { total: room, perEndpoint, inFlight, hosts: hosts.room() });
    for (const delivery of leased) start(delivery);
    return leased.length;
  };

  const start = (delivery: LeasedDelivery): void => {
    count(delivery, 1);
    hosts.begin(hostOfUrl(delivery.url));
    const call = carryOut(delivery).finally(() => {
      count(delivery, -1);
      calls.delete(call);
      onRoom();
    });
    calls.add(call);
  };

  const count = ({ storeId, environment }: Endpoint, by: 1 | -1): void => {
    const key = `${storeId} ${environment}`;
    const now = (endpoints.get(key)?.count ?? 0) + by;
    if (now > 0) endpoints.set(key, { storeId, environment, count: now });
    else endpoints.delete(key);
  };

  /**
   * The error boundary of one call. A call that throws is quarantined, and is due again when both its lease and its
   * pause end.
   */
  const carryOut = async (delivery: LeasedDelivery): Promise<void> => {
    // A retry uses a new connection: the first attempt may have failed because the pooled one closed.
    const kept = delivery.attempts === 1 ? { connections } : {};
    const ended = attempt(context, delivery, { ...callOptions, reach, ...kept });
    const host = hostOfUrl(delivery.url);
    ended.then(
      ({ outcome, milliseconds }) => hosts.end(host, { answered: outcome.kind === 'answered', milliseconds }),
      () => hosts.end(host, { answered: false, milliseconds: 0 }),
    );
    await eachAlone(context, 'deliver webhooks', [deliverySubject(delivery)], async () => {
      const { outcome, ...rest } = await ended;
      await writeOutcome({ outcome, ...rest });
      const { storeId: store, eventId: event, type, about } = delivery;
      const to = next(rest.attempts, outcome, rest.lane).status;
      noteChange(context.pool, {
        ...{ of: 'delivery', to, delivery: rest.id, attempt: rest.attempts, event, type, store, ...about },
        ...{ status: outcome.kind === 'answered' ? outcome.status : null, ms: Math.round(rest.milliseconds) },
      });
    }).catch((error: unknown) => {
      // The database is unavailable. The delivery is due again when its lease ends.
      context.log.error(
        { err: error, deliveryId: delivery.id, eventId: delivery.eventId },
        'a delivery could not be handled',
      );
    });
  };

  return {
    // Run one at a time: two parallel leases would both count on the same room.
    pump: () => {
      const mine = pumping.then(pump);
      pumping = mine.catch(() => {});
      return mine;
    },
    idle: (milliseconds) => endsWithin(allEnded(calls), milliseconds),
    close: connections.close,
  };
}

/** One signed call. Rejects only when the secret cannot be opened. */
async function attempt(context: Context, delivery: LeasedDelivery, options: CallOptions): Promise<Ended> {
  const { clock, config } = context;
  const purpose = webhookSecretPurpose(delivery.storeId, delivery.environment);
  const open = (sealed: Buffer) => openSecret(config.MASTER_KEYS, sealed, purpose);
  const { previousSecretCiphertext: previous, secretCiphertext, eventId, type, body, url } = delivery;
  const message = { eventId, type, body, secret: open(secretCiphertext), previousSecret: previous && open(previous) };
  let sent: Record<string, string> | null = null;
  const headers = () => (sent = signedHeaders(message, { timestamp: unixSeconds(clock.now()), nonce: randomUUID() }));
  const began = performance.now();
  const outcome = await callReceiver({ url, headers, body }, options);
  const milliseconds = performance.now() - began;
  observeAttempt(delivery, outcome, { milliseconds, now: clock.now() });
  // The address was public when the URL was saved. The name resolves to another address now.
  if (outcome.kind === 'refused') noteSecurity(context, { kind: 'address_refused', store: delivery.storeId });
  const { id, epoch, attempts, lane } = delivery;
  return {
    ...{ id, epoch, attempts, lane, outcome, milliseconds, endedAt: clock.now() },
    headers: sent && redactedHeaders(sent),
  };
}

/**
 * One bounded pass for hosting without a long-running worker: every due delivery that fits, awaited for 25 s at most.
 */
export const deliverBatch: Step = async (context) => {
  const dispatcher = openDispatcher(context);
  const started = await dispatcher.pump();
  const isIdle = await dispatcher.idle(BATCH_MILLISECONDS);
  dispatcher.close();
  return { more: started > 0 && isIdle };
};

async function allEnded(calls: ReadonlySet<Promise<void>>): Promise<void> {
  while (calls.size > 0) await Promise.all(calls);
}

async function endsWithin(work: Promise<void>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), milliseconds);
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
