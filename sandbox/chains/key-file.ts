// The payer's key of a local chain: generated at the first start and kept in the data directory, so that a developer's wallet
// import stays valid. It holds value on the local chain only.

import fs from 'node:fs';
import path from 'node:path';

type KeyKind = {
  /** A new key as text. */
  readonly create: () => string;
  /** The format of a key's text. */
  readonly form: RegExp;
};

/** Reads the key of the network's payer, or generates it. Throws when the file contains anything but a key. */
export function openPayerKey(directory: string, network: string, { create, form }: KeyKind): string {
  fs.mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = path.join(directory, `${network}-payer.key`);
  if (!fs.existsSync(file)) write(file, create());
  const text = fs.readFileSync(file, 'utf8').trim();
  if (!form.test(text)) throw new Error(`${file} does not hold a private key; remove it to get a new one`);
  return text;
}

/** Written under another name first, so that a crash never leaves half a key. */
function write(file: string, text: string): void {
  fs.writeFileSync(`${file}.new`, `${text}\n`, { mode: 0o600 });
  fs.renameSync(`${file}.new`, file);
}
