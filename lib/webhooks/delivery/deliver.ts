// Delivering events: takes what is due, calls the receivers side by side, writes down how each call ended. Bounded in all and
// per endpoint and host, so that a receiver that hangs holds up nobody else. Run by the worker's loop (run.ts) and, one pass at a
// time, by the cron route.

import { randomUUID } from 'node:crypto';
import { unixSeconds } from '@/lib/platform/clock';
import type { Context, Step } from '@/lib/platform/context';
import { openSecret } from '@/lib/platform/crypto';
import { eachAlone } from '@/lib/platform/database/quarantine';
import { noteSecurity } from '@/lib/platform/security/events';
import { claimDue, deliverySubject, type Claimed, type Endpoint } from './lease';
import { openConnections } from './connections';
import { callReceiver, type Line } from './dial';
import { FIRST_PER_HOST, hostOfUrl, MOST_PER_HOST, openHosts } from './hosts';
import { redactedHeaders, signedHeaders } from '@/lib/webhooks/events/message';
import { openOutcomes } from './outcomes';
import { webhookSecretPurpose } from '@/lib/webhooks/endpoint/secret';
import type { Ended } from './write-outcomes';

export type Dispatcher = {
  /** Takes and starts what is due and fits; resolves to how many, without waiting for the calls. */
  readonly pump: () => Promise<number>;
  /** Resolves to true when every call that was started has ended and is written down, to false when that takes longer. */
  readonly idle: (milliseconds: number) => Promise<boolean>;
  /** Closes the connections that are kept between calls. */
  readonly close: () => void;
};

export type DispatcherOptions = Partial<Omit<Line, 'reach' | 'connections'>> & {
  /** Called when a call has ended, so that there is room again. */
  readonly onRoom?: () => void;
  readonly mostInFlight?: number;
  readonly mostPerEndpoint?: number;
};

/** Sockets and 2 kB answers of this many calls cost some 50 MB at the very worst. */
const MOST_IN_FLIGHT = 512;
/** One endpoint's part; a receiver that takes 1 s per call still gets 64 events a second. */
const MOST_PER_ENDPOINT = 64;
/** An endpoint gets at most this part of the room that is left, so that many hanging ones never fill it all. */
const SHARE_OF_ROOM = 8;
/** The cron route's request must end; calls that still hang then end, or are taken up again, without it. */
const BATCH_MILLISECONDS = 25_000;

/** Opens a dispatcher. Any number may run at once, in this process and others: the database gives each delivery to one. */
export function openDispatcher(context: Context, options: DispatcherOptions = {}): Dispatcher {
  const { mostInFlight = MOST_IN_FLIGHT, mostPerEndpoint = MOST_PER_ENDPOINT, onRoom = () => {}, ...line } = options;
  const reach = { toLoopback: context.config.WEBHOOKS_TO_LOOPBACK };
  const writeOutcome = openOutcomes(context);
  const calls = new Set<Promise<void>>();
  const endpoints = new Map<string, Endpoint & { count: number }>();
  const hosts = openHosts(reach.toLoopback ? MOST_PER_HOST : FIRST_PER_HOST);
  const connections = openConnections();
  let pumping: Promise<unknown> = Promise.resolve();

  const pump = async (): Promise<number> => {
    const room = mostInFlight - calls.size;
    if (room <= 0) return 0;
    const perEndpoint = Math.min(mostPerEndpoint, Math.ceil(room / SHARE_OF_ROOM));
    const inFlight = [...endpoints.values()];
    const claimed = await claimDue(context, { total: room, perEndpoint, inFlight, hosts: hosts.room() });
    for (const delivery of claimed) start(delivery);
    return claimed.length;
  };

  const start = (delivery: Claimed): void => {
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

  /** The boundary of one call: one that throws is quarantined, and comes due again when both its lease and its pause end. */
  const carryOut = async (delivery: Claimed): Promise<void> => {
    // A retry has a connection of its own: the kept one's end may be what the first attempt failed of.
    const kept = delivery.attempts === 1 ? { connections } : {};
    const ended = attempt(context, delivery, { ...line, reach, ...kept });
    const host = hostOfUrl(delivery.url);
    ended.then(
      ({ outcome, milliseconds }) => hosts.end(host, { answered: outcome.kind === 'answered', milliseconds }),
      () => hosts.end(host, { answered: false, milliseconds: 0 }),
    );
    await eachAlone(context, 'deliver webhooks', [deliverySubject(delivery)], async () => {
      const { outcome, ...rest } = await ended;
      await writeOutcome({ outcome, ...rest });
      context.log.debug({ deliveryId: rest.id, attempts: rest.attempts, outcome: outcome.kind }, 'an event was sent');
    }).catch((error: unknown) => {
      // The database is away: the delivery comes due again when its lease ends.
      context.log.error(
        { err: error, deliveryId: delivery.id, eventId: delivery.eventId },
        'a delivery could not be handled',
      );
    });
  };

  return {
    // One after the other: two claims at once would both count on the same room.
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
async function attempt(context: Context, delivery: Claimed, line: Line): Promise<Ended> {
  const { clock, config } = context;
  const purpose = webhookSecretPurpose(delivery.storeId, delivery.environment);
  const open = (sealed: Buffer) => openSecret(config.MASTER_KEYS, sealed, purpose);
  const { previousSecretCiphertext: previous, secretCiphertext, eventId, type, body, url } = delivery;
  const message = { eventId, type, body, secret: open(secretCiphertext), previousSecret: previous && open(previous) };
  let sent: Record<string, string> | null = null;
  const headers = () => (sent = signedHeaders(message, { timestamp: unixSeconds(clock.now()), nonce: randomUUID() }));
  const began = performance.now();
  const outcome = await callReceiver({ url, headers, body }, line);
  const milliseconds = performance.now() - began;
  // It was public when it was saved: the name leads elsewhere now.
  if (outcome.kind === 'refused') noteSecurity(context, { kind: 'address_refused', store: delivery.storeId });
  const { id, epoch, attempts, lane } = delivery;
  return {
    ...{ id, epoch, attempts, lane, outcome, milliseconds, endedAt: clock.now() },
    headers: sent && redactedHeaders(sent),
  };
}

/** One bounded pass for hosts without a long-running worker: everything due that fits, awaited for 25 s at most. */
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
