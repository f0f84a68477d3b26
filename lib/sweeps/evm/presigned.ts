// Authorizations of deposit addresses that were signed in advance, where their keys are offline (SWEEP_AUTHORIZATIONS_DIR). Each only
// lets an address run the code of our delegate, which sends its money to the treasury.

import { open, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { verifyAuthorization } from 'ethers/hash';
import { PRESIGNED_LINE_BYTES, presignedFile, readPresignedLine } from '@/lib/networks/families/evm/sweeping/presigned';
import type { Authorization } from '@/lib/signer/client';

type Wanted = Pick<Authorization, 'chainId' | 'address' | 'nonce'> & {
  /** Of the deposit address in its wallet. */
  readonly index: number;
};
/** `deposit`: the address that signed, in lower case. */
type Signed = { readonly deposit: string; readonly authorization: Authorization };

export type Presigned = {
  /** Null when no file has it. Throws an Error for a file that is damaged or cannot be read. */
  readonly find: (wanted: Wanted) => Promise<Signed | null>;
};

export const openPresigned = (directory: string): Presigned => ({
  async find({ index, ...delegation }) {
    const file = path.join(directory, presignedFile(delegation));
    const text = await readAt(file, index);
    if (text === null) return null;
    const line = readPresignedLine(text);
    if (line?.index !== index)
      throw new Error(`${file} is damaged: it has no line of the index ${index} where it should be`);
    const { yParity, r, s } = line;
    const deposit = verifyAuthorization(delegation, { yParity, r, s }).toLowerCase();
    return { deposit, authorization: { ...delegation, yParity, r, s } };
  },
});

/** The text where the line of an index has to be; null when the file does not exist or ends before. */
async function readAt(file: string, index: number): Promise<string | null> {
  const handle = await open(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (!handle) return null;
  try {
    const first = readPresignedLine(await readLine(handle, 0));
    if (!first) throw new Error(`${file} is no file of authorizations`);
    const text = index < first.index ? '' : await readLine(handle, index - first.index);
    return text === '' ? null : text;
  } finally {
    await handle.close();
  }
}

async function readLine(handle: FileHandle, number: number): Promise<string> {
  const buffer = Buffer.alloc(PRESIGNED_LINE_BYTES);
  const { bytesRead } = await handle.read(buffer, 0, buffer.length, number * PRESIGNED_LINE_BYTES);
  return buffer.toString('latin1', 0, bytesRead);
}
