// Limits the parallel calls per host, across all endpoints. A host begins with a few calls and gets more while it
// responds quickly. A hanging host then costs a few sockets, and a fast one is not slowed down. Beyond the limit each
// endpoint may have one call (lease.ts). Per process.

export type Hosts = {
  /** Records the start and the end of a call. */
  readonly begin: (host: string) => void;
  readonly end: (host: string, how: { readonly answered: boolean; readonly milliseconds: number }) => void;
  /** The remaining room of the known hosts; any other host has `unknown`. */
  readonly room: () => { readonly unknown: number; readonly known: readonly { host: string; room: number }[] };
};

/** The limit of a host that has not responded yet. */
export const FIRST_PER_HOST = 4;
export const MAX_PER_HOST = 64;
/** A response within this time shows that the host can take one more parallel call. */
const QUICK_MILLISECONDS = 2000;
/** Number of hosts remembered; the idle host that was unused longest is dropped first. */
const MAX_HOSTS = 1000;
type Host = { limit: number; inFlight: number };

/**
 * `first`: the limit of an unknown host. In the sandbox this machine hosts the receivers of all stores, so every host
 * has the maximum from the start.
 */
export function openHosts(first = FIRST_PER_HOST, most = MAX_PER_HOST): Hosts {
  const hosts = new Map<string, Host>();

  const begin = (name: string): void => {
    const host = hosts.get(name) ?? { limit: first, inFlight: 0 };
    host.inFlight++;
    // Move to the end: the map is in the order of use.
    hosts.delete(name);
    hosts.set(name, host);
    if (hosts.size > MAX_HOSTS) forgetOne();
  };

  const forgetOne = (): void => {
    for (const [name, { inFlight }] of hosts) {
      if (inFlight > 0) continue;
      hosts.delete(name);
      return;
    }
  };

  return {
    begin,
    end: (name, { answered, milliseconds }) => {
      const host = hosts.get(name);
      if (!host) return;
      host.inFlight--;
      if (!answered) host.limit = Math.max(first, Math.floor(host.limit / 2));
      else if (milliseconds <= QUICK_MILLISECONDS) host.limit = Math.min(most, host.limit + 1);
    },
    room: () => ({
      unknown: first,
      known: [...hosts].map(([host, { limit, inFlight }]) => ({ host, room: Math.max(0, limit - inFlight) })),
    }),
  };
}

/** The host with its port, as in a URL that was accepted for saving. The lease statement extracts the same. */
export const hostOfUrl = (url: string): string => /^[a-z]+:\/\/([^/?#]+)/.exec(url)?.[1] ?? '';
