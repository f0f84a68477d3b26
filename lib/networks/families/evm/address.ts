// The forms of EVM addresses: lower case in the service and in the database, with the EIP-55 checksum where people and wallets
// read them, and as a padded word in a log's topics.

import { getAddress } from 'ethers/address';
import { LRUCache } from 'lru-cache';

/** Caches the contracts and the addresses of open pages: each page needs both every two seconds, and a checksum is a hash. */
const written = new LRUCache<string, string>({ max: 5000 });
const PADDING = '0x000000000000000000000000';

/** The address with its EIP-55 checksum. Throws for text that is not an address. */
export function checksumAddress(address: string): string {
  const known = written.get(address);
  if (known !== undefined) return known;
  const checked = getAddress(address);
  written.set(address, checked);
  return checked;
}

/** The address in an indexed log topic (lower case), or null if the word is not a padded address. */
export function topicAddress(topic: string): string | null {
  return topic.length === 66 && topic.startsWith(PADDING) ? `0x${topic.slice(26)}` : null;
}
