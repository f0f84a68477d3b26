// How many calls one host may have at a time, whoever's endpoints they are for. A host begins with a few and gets more while
// it answers quickly, so that one that hangs costs a few sockets and one that keeps up is not held back. Beyond that each endpoint
// may have one call (claim.ts). Per process.

export type Hosts = {
  /** A call begins, and how it ended. */
  readonly begin: (host: string) => void;
  readonly end: (host: string, how: { readonly answered: boolean; readonly milliseconds: number }) => void;
  /** What is left for the hosts that are known; any other has `unknown`. */
  readonly room: () => { readonly unknown: number; readonly known: readonly { host: string; room: number }[] };
};

/** Hardening 3.4: what a host that has shown nothing yet gets. */
export const FIRST_PER_HOST = 4;
export const MOST_PER_HOST = 64;
/** An answer within this time is a sign that one more call at a time does no harm. */
const QUICK_MILLISECONDS = 2000;
/** Hosts remembered; the longest unused idle one is forgotten first. */
const MOST_HOSTS = 1000;
type Host = { limit: number; inFlight: number };

/**
 * `first`: what an unknown host gets. Where this machine plays the receivers of all stores (the sandbox) there is no stranger
 * to spare, and every host has the most from the start.
 */
export function openHosts(first = FIRST_PER_HOST, most = MOST_PER_HOST): Hosts {
  const hosts = new Map<string, Host>();

  const begin = (name: string): void => {
    const host = hosts.get(name) ?? { limit: first, inFlight: 0 };
    host.inFlight++;
    // Put at the end: the map is in the order of use.
    hosts.delete(name);
    hosts.set(name, host);
    if (hosts.size > MOST_HOSTS) forgetOne();
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

/** The host with its port, as it stands in a URL that was accepted for saving. The claim's statement cuts the same. */
export const hostOfUrl = (url: string): string => /^[a-z]+:\/\/([^/?#]+)/.exec(url)?.[1] ?? '';
