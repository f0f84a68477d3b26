// The payer's key of a local chain: made at the first start and kept in the data directory, so that a developer who imported it
// into a wallet finds it again. It holds nothing of value anywhere but on the local chain.

import fs from 'node:fs';
import path from 'node:path';

type KeyKind = {
  /** A new key as text. */
  readonly create: () => string;
  /** What the text of a key looks like. */
  readonly form: RegExp;
};

/** Reads the key of the network's payer, or makes it. Throws when the file holds anything but a key. */
export function openPayerKey(directory: string, network: string, { create, form }: KeyKind): string {
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = path.join(directory, `${network}-payer.key`);
  if (!fs.existsSync(file)) write(file, create());
  const text = fs.readFileSync(file, 'utf8').trim();
  if (!form.test(text)) throw new Error(`${file} does not hold a private key; remove it to get a new one`);
  return text;
}

/** Under another name first, so that a crash never leaves half a key. */
function write(file: string, text: string): void {
  fs.writeFileSync(`${file}.new`, `${text}\n`, { mode: 0o600 });
  fs.renameSync(`${file}.new`, file);
}
