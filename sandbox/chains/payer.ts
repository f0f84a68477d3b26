// The payer's key of a local chain: made at the first start and kept in the data directory, so that a developer who imported it
// into a wallet finds it again. It holds nothing of value anywhere but on the local chain.

import fs from 'node:fs';
import path from 'node:path';
import { Wallet } from 'ethers';

/** Reads the key, or makes it. Throws when the file holds anything but a key. */
export function openPayer(directory: string, network: string): Wallet {
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = path.join(directory, `${network}-payer.key`);
  if (!fs.existsSync(file)) write(file, Wallet.createRandom().privateKey);
  const text = fs.readFileSync(file, 'utf8').trim();
  if (!/^0x[0-9a-f]{64}$/.test(text))
    throw new Error(`${file} does not hold a private key; remove it to get a new one`);
  return new Wallet(text);
}

/** Under another name first, so that a crash never leaves half a key. */
function write(file: string, text: string): void {
  fs.writeFileSync(`${file}.new`, `${text}\n`, { mode: 0o600 });
  fs.renameSync(`${file}.new`, file);
}
