// Sanctions files for tests: a key of this run, files signed by it, and the command that loads them.

import { generateKeyPairSync, sign } from 'node:crypto';
import type { Pool } from '@/lib/platform/database/db';
import { runSanctions } from '@/lib/screening/list/command';

const { publicKey, privateKey } = generateKeyPairSync('ed25519');
/** The setting SCREENING_LIST_KEY. */
export const LIST_KEY = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64');

export const listText = (asOf: string, entries: readonly { address: string; entity: string }[]): string =>
  JSON.stringify({ format: 'stabletill-sanctions-1', as_of: asOf, entries });

export const signatureOf = (text: string): string => sign(null, Buffer.from(text), privateKey).toString('base64');

type Files = Readonly<Record<string, string>>;

/** Runs a command of `npm run sanctions` with these files. */
export async function sanctions(
  pool: Pool,
  words: readonly string[],
  { files = {}, now, key = LIST_KEY }: { files?: Files; now: Date; key?: string },
): Promise<{ code: number; printed: string; written: Record<string, string> }> {
  const printed: string[] = [];
  const written: Record<string, string> = {};
  const code = await runSanctions(words, {
    pool,
    print: (line) => void printed.push(line),
    readFile: (file) => Buffer.from(files[file] ?? ''),
    writeFile: (file, text) => void (written[file] = text),
    key,
    now: () => now,
  });
  return { code, printed: printed.join('\n'), written };
}

/** Loads a list of these addresses, signed. Throws the printed text when it is refused. */
export async function loadList(
  pool: Pool,
  addresses: readonly string[],
  { asOf, now = new Date(asOf) }: { asOf: string; now?: Date },
): Promise<string> {
  const text = listText(
    asOf,
    addresses.map((address) => ({ address, entity: `SDN of ${address.slice(0, 6)}` })),
  );
  const files = { 'list.json': text, 'list.json.sig': signatureOf(text) };
  const { code, printed } = await sanctions(pool, ['load', 'list.json'], { files, now });
  if (code !== 0) throw new Error(printed);
  return printed;
}
