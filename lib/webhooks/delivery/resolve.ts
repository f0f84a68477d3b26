// Resolves names for calls to merchants by querying the name servers directly. The system's resolver uses a handful of
// threads, so one store's dead name server would delay every other store.

import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { hostOf, mayDial, parseWebhookUrl, PrivateAddress, UnsafeAddress, type Reach } from './address-guard';

export type Address = { readonly address: string; readonly family: 4 | 6 };
/** All addresses of a name. Throws when there is none or no server responds. */
export type Lookup = (name: string) => Promise<readonly Address[]>;

const QUERY_MILLISECONDS = 3000;
const QUERY_TRIES = 2;
/** Only this many addresses of a name are used; the first are as good as the others. */
const MAX_ADDRESSES = 16;
const LOCALHOST: readonly Address[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/**
 * The addresses to dial for a URL that `parseWebhookUrl` accepted, all of them allowed. One forbidden address refuses
 * the whole name with UnsafeAddress. Any other error means that the name could not be resolved now.
 */
export async function resolveSafely(
  url: URL,
  reach: Reach,
  lookup: Lookup = queryNameServers,
): Promise<readonly Address[]> {
  const host = hostOf(url);
  const family = isIP(host);
  const found = family !== 0 ? [{ address: host, family: family as 4 | 6 }] : await lookup(host);
  if (found.length === 0) throw new Error('the name has no address');
  // Of all names only localhost may lead to this machine. A public name that does is an attack or a mistake.
  const within = family !== 0 || host === 'localhost' ? reach : { toLoopback: false };
  if (!found.every(({ address }) => mayDial(address, within))) {
    throw new PrivateAddress('The URL must not lead to a private or reserved address.');
  }
  return found.slice(0, MAX_ADDRESSES);
}

/**
 * Checks a URL before it is saved: its form, and every address that its name has now. Throws UnsafeAddress; returns the
 * normalized form.
 */
export async function checkWebhookUrl(text: string, reach: Reach, lookup: Lookup = queryNameServers): Promise<string> {
  const url = parseWebhookUrl(text, reach);
  try {
    await resolveSafely(url, reach, lookup);
  } catch (error) {
    if (error instanceof UnsafeAddress) throw error;
    throw new UnsafeAddress('The host name of the URL could not be resolved.', { cause: error });
  }
  return url.href;
}

/** A and AAAA records from this machine's configured name servers. One kind may be missing. */
async function queryNameServers(name: string): Promise<readonly Address[]> {
  if (name === 'localhost') return LOCALHOST;
  const resolver = new Resolver({ timeout: QUERY_MILLISECONDS, tries: QUERY_TRIES });
  const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  if (four.status === 'rejected' && six.status === 'rejected') throw four.reason;
  return [
    ...(four.status === 'fulfilled' ? four.value : []).map((address): Address => ({ address, family: 4 })),
    ...(six.status === 'fulfilled' ? six.value : []).map((address): Address => ({ address, family: 6 })),
  ];
}
