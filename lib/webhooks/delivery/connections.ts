// A pool of connections to receivers, by origin and the exact addresses that were checked for it. Each carries one call
// at a time. A connection whose last exchange did not end cleanly is never reused.

import { Client, type buildConnector } from 'undici';

export type Connections = {
  /** A connection for one call: a pooled or a new one. */
  readonly take: (key: string, open: () => Client) => Client;
  /** Returns a connection after an exchange that ended cleanly. */
  readonly keep: (key: string, client: Client) => void;
  readonly close: () => void;
};

/**
 * Node's own servers close after 5 s without a request. Closing earlier means that a call seldom meets a closing
 * connection.
 */
const IDLE_MILLISECONDS = 3000;
const MAX_IDLE = 512;
const MAX_IDLE_PER_KEY = 64;
const MAX_HEADER_BYTES = 16 * 1024;

const destroy = (client: Client): void => void client.destroy().catch(() => {});

type Idle = { readonly client: Client; readonly onDisconnect: () => void };

export function openConnections(): Connections {
  const idle = new Map<string, Idle[]>();
  let count = 0;

  const remove = (key: string, one: Idle): void => {
    const left = (idle.get(key) ?? []).filter((other) => other !== one);
    if (left.length > 0) idle.set(key, left);
    else idle.delete(key);
    one.client.off('disconnect', one.onDisconnect);
    count--;
  };

  return {
    take: (key, open) => {
      // The most recently used connection is the least likely to have been closed.
      const kept = idle.get(key)?.at(-1);
      if (!kept) return open();
      remove(key, kept);
      return kept.client;
    },
    keep: (key, client) => {
      const all = idle.get(key) ?? [];
      if (client.destroyed || count >= MAX_IDLE || all.length >= MAX_IDLE_PER_KEY) return destroy(client);
      // Its own timer or the receiver has closed it. If it stayed here, it would reconnect for another call.
      const onDisconnect = (): void => {
        remove(key, one);
        destroy(client);
      };
      const one: Idle = { client, onDisconnect };
      client.once('disconnect', onDisconnect);
      idle.set(key, [...all, one]);
      count++;
    },
    close: () => {
      for (const [key, all] of idle) {
        for (const one of all) {
          remove(key, one);
          destroy(one.client);
        }
      }
    },
  };
}

/** A connection that undici opens at its first call. The caller's deadline is the only timeout of a call. */
export const openClient = (origin: string, connect: buildConnector.connector): Client =>
  new Client(origin, {
    pipelining: 1,
    keepAliveTimeout: IDLE_MILLISECONDS,
    keepAliveMaxTimeout: IDLE_MILLISECONDS,
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: MAX_HEADER_BYTES,
    connect,
  });
