// Writes an archive: a gzip file with one JSON line for each row, and a description beside it. The file's name is the beginning of its
// hash, so writing the same rows twice makes the same file, and no writer can damage the file of another one.

import fs from 'node:fs/promises';
import path from 'node:path';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { sha256 } from '@/lib/platform/crypto';

const gzip = promisify(zlib.gzip);
const gunzip = promisify(zlib.gunzip);
const HASH_DIGITS = 32;
/** An archive holds a few megabytes (records: AT_ONCE). One that unpacks to more than this is not one of ours. */
const MAX_UNPACKED_BYTES = 512 * 1024 * 1024;

export type ArchiveFile = {
  /** Below the directory of archives. */
  readonly file: string;
  readonly sha256: Buffer;
  readonly rows: number;
  readonly bytes: number;
};
type Content = { readonly source: string; readonly month: string; readonly lines: readonly string[] };

/** When it returns, file and description are on the disk, and the file was read back and holds exactly these lines. */
export async function writeArchive(directory: string, { source, month, lines }: Content): Promise<ArchiveFile> {
  const text = textOf(lines);
  const bytes = await gzip(text);
  const hash = sha256(bytes);
  const name = path.join(source, month, hash.toString('hex').slice(0, HASH_DIGITS));
  const archive = { file: `${name}.ndjson.gz`, sha256: hash, rows: lines.length, bytes: bytes.length };
  await makeDirectories(directory, [source, path.join(source, month)]);
  await writeWhole(path.join(directory, archive.file), bytes);
  const description = { source, month, ...archive, sha256: hash.toString('hex') };
  await writeWhole(path.join(directory, `${name}.json`), Buffer.from(`${JSON.stringify(description, null, 2)}\n`));
  const kept = await readArchive(directory, archive);
  if (kept !== text)
    throw new Error(`the archive ${archive.file} does not hold what was written to it: nothing was removed`);
  return archive;
}

/** The lines of an archive as one text. Throws when the file is missing, or is not the one that was written. */
export async function readArchive(directory: string, archive: ArchiveFile): Promise<string> {
  const bytes = await fs.readFile(path.join(directory, archive.file));
  if (!sha256(bytes).equals(archive.sha256))
    throw new Error(`${archive.file} has another hash than when it was written`);
  const text = (await gunzip(bytes, { maxOutputLength: MAX_UNPACKED_BYTES })).toString('utf8');
  const rows = text.split('\n').length - 1;
  if (rows !== archive.rows) throw new Error(`${archive.file} has ${rows} rows, and had ${archive.rows}`);
  return text;
}

export const textOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

/** Readable by the worker's user only: the rows are merchants' data. */
async function makeDirectories(root: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await fs.mkdir(path.join(root, name), { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
    await sync(path.dirname(path.join(root, name)));
  }
}

/** The file is either whole or not there, also after a power failure. */
async function writeWhole(file: string, bytes: Uint8Array): Promise<void> {
  const temporary = `${file}.${randomUUID()}.tmp`;
  try {
    await fs.writeFile(temporary, bytes, { mode: 0o600, flush: true });
    await fs.rename(temporary, file);
  } catch (error) {
    await fs.rm(temporary, { force: true });
    throw error;
  }
  await sync(path.dirname(file));
}

/** A new name is on the disk only when its directory is. */
async function sync(directory: string): Promise<void> {
  const handle = await fs.open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
