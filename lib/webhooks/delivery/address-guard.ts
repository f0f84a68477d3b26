// Decides which addresses this service may call for a merchant (SSRF protection). Pure: checks the form of a URL and
// the range of an address. resolve.ts resolves names and checks every resolved address here, when the URL is saved and
// at each call.

import { BlockList, isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** `toLoopback`: this machine may be called too, by http and on any port (the sandbox's receiver). */
export type Reach = { readonly toLoopback: boolean };

/** A refused URL or address. The message is a sentence that the merchant can act on. */
export class UnsafeAddress extends Error {
  override readonly name = 'UnsafeAddress';
}

/** A URL that leads into a private network or to this machine: more than a typing error. */
export class PrivateAddress extends UnsafeAddress {}

const LONGEST_URL = 2048;
/** HTTPS and its usual alternative. Any other port may belong to something that is not a web server. */
const PORTS = new Set(['', '443', '8443']);
/** Names that only private networks resolve. */
const PRIVATE_NAMES = /(^|\.)(localhost|localdomain|local|internal|intranet|lan|home\.arpa|corp|home)$/;

/**
 * Global unicast, the only IPv6 range that is dialled. The mapped, compatible, NAT64, SRv6 and local forms lie outside
 * it.
 */
const GLOBAL_IPV6 = ipaddr.IPv6.parse('2000::');
const GLOBAL_IPV6_BITS = 3;
/** Special ranges that ipaddr.js may call unicast (IANA special-purpose registries), and Azure's own service address. */
const SPECIAL_IPV4 =
  '0.0.0.0/8 192.0.0.0/24 192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.175.48.0/24 198.18.0.0/15 240.0.0.0/4 168.63.129.16/32';
const SPECIAL_IPV6 = '2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3ffe::/16 3fff::/20';
const SPECIAL = blockList({ ipv4: SPECIAL_IPV4, ipv6: SPECIAL_IPV6 });

/**
 * Parses a webhook URL. Throws UnsafeAddress unless it is https without credentials and fragment, on port 443 or 8443,
 * to a public name or address. Returns the normalized URL (`href` shows an international name as punycode).
 */
export function parseWebhookUrl(text: string, reach: Reach): URL {
  if (text.length > LONGEST_URL) throw new UnsafeAddress(`The URL must have at most ${LONGEST_URL} characters.`);
  // The URL parser silently drops or converts these characters, so the called address would differ from the displayed
  // one.
  if (/[\p{Cc}\s\\]/u.test(text) || !URL.canParse(text)) throw new UnsafeAddress('The URL is not a valid address.');
  const url = new URL(text);
  if (url.username !== '' || url.password !== '') {
    throw new UnsafeAddress('The URL must not contain a user name or password.');
  }
  if (text.includes('#')) throw new UnsafeAddress('The URL must not contain a fragment (#).');
  if (reach.toLoopback && url.protocol === 'http:' && isLoopbackHost(hostOf(url))) return url;
  if (url.protocol !== 'https:') throw new UnsafeAddress('The URL must begin with https://.');
  if (reach.toLoopback && isLoopbackHost(hostOf(url))) return url;
  if (!PORTS.has(url.port)) throw new UnsafeAddress('The port must be 443 or 8443.');
  checkHost(hostOf(url), reach);
  return url;
}

function checkHost(host: string, reach: Reach): void {
  if (isIP(host) !== 0) {
    if (!mayDial(host, reach)) throw new PrivateAddress('The URL must not lead to a private or reserved address.');
    return;
  }
  if (!host.includes('.') || host.endsWith('.') || PRIVATE_NAMES.test(host)) {
    throw new PrivateAddress('The URL must have a public host name, without a dot at its end.');
  }
}

/** The host of a URL for a resolver or a socket: an IPv6 address without its brackets. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1');

const isLoopbackHost = (host: string): boolean => host === 'localhost' || isLoopback(host);

/** Whether a connection to this address is allowed (text of an IPv4 or IPv6 address, as a resolver returns it). */
export const mayDial = (address: string, reach: Reach): boolean =>
  isPublic(address) || (reach.toLoopback && isLoopback(address));

/** 127.0.0.0/8 and ::1 in their plain forms only. */
const isLoopback = (address: string): boolean => isIP(address) !== 0 && ipaddr.parse(address).range() === 'loopback';

function isPublic(address: string): boolean {
  const version = isIP(address);
  // A zone (fe80::1%eth0) names an interface of this machine.
  if (version === 0 || address.includes('%')) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(GLOBAL_IPV6, GLOBAL_IPV6_BITS)) return false;
  return !SPECIAL.check(address, version === 6 ? 'ipv6' : 'ipv4');
}

function blockList(ranges: Record<'ipv4' | 'ipv6', string>): BlockList {
  const list = new BlockList();
  for (const version of ['ipv4', 'ipv6'] as const) {
    for (const range of ranges[version].split(' ')) {
      const [network = '', bits] = range.split('/');
      list.addSubnet(network, Number(bits), version);
    }
  }
  return list;
}
