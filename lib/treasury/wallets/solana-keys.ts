// The imported list of Solana public keys, one per line. The whole list is checked before any key is shown to a customer: a payment to an
// address without a private key would be lost.

import { readFile, stat } from 'node:fs/promises';
import { setImmediate as letOthersRun } from 'node:timers/promises';
import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import { AddressSourceError } from './address-source';

/** Room for a million keys of 44 characters; a larger file is not a list of keys. */
const MAX_BYTES = 45_000_000;
/** Keys that are checked without a pause: about ten milliseconds. */
const CHUNK = 100;

/**
 * Reads and checks the file; element i is the key of index i. Throws an AddressSourceError that names the invalid line: not base58, not
 * 32 bytes, not a point that a private key can have, or a repeated key.
 */
export async function readSolanaKeys(file: string): Promise<readonly string[]> {
  const lines = (await readText(file)).split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  if (lines.length === 0) throw unusable('is empty');
  const seen = new Set<string>();
  for (const [index, line] of lines.entries()) {
    if (index % CHUNK === CHUNK - 1) await letOthersRun();
    if (!isPublicKey(line)) throw unusable(`line ${index + 1} is not a Solana public key in base58`);
    if (seen.has(line)) throw unusable(`line ${index + 1} repeats an earlier key`);
    seen.add(line);
  }
  return lines;
}

async function readText(file: string): Promise<string> {
  const unreadable = (error: NodeJS.ErrnoException): never => {
    throw unusable(`cannot be read (${error.code})`);
  };
  const { size } = await stat(file).catch(unreadable);
  if (size > MAX_BYTES) throw unusable('is too large');
  return readFile(file, 'utf8').catch(unreadable);
}

function isPublicKey(text: string): boolean {
  if (!/^[1-9A-HJ-NP-Za-km-z]{32,44}$/.test(text)) return false;
  const bytes = base58.decode(text);
  if (bytes.length !== 32) return false;
  try {
    // Points of small order, such as the system program's 32 zero bytes, are on the curve, but no private key has them.
    return !ed25519.Point.fromBytes(bytes).isSmallOrder();
  } catch {
    return false;
  }
}

const unusable = (what: string): AddressSourceError =>
  new AddressSourceError('unusable', `WATCH_ONLY_SOLANA_KEYS_FILE ${what}`);
