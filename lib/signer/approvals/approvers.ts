// The signer's list of approvers: the passkeys whose signatures approve refunds, each with its person's name. The file
// is on the signer's machine, beside the keystore, and only the `approvers` command writes it. The signer ignores the
// passkeys in the web process's database, so a compromised web process cannot add an approver.

import fs from 'node:fs';
import { z } from 'zod';
import { durably } from '@/lib/signer/files/durable-file';

/** Enough for a few dozen approvers with the longest credential ids. A larger file is something else. */
const MAX_BYTES = 131_072;
/** The mode bits that let group and others write. */
const WRITABLE_BY_OTHERS = 0o022;

/** A person's name: one line of visible characters. */
export const PERSON = /^[^\p{C}]{1,60}$/u;

const approver = z.strictObject({
  person: z.string().regex(PERSON),
  credentialId: z.string().regex(/^[\w-]{16,1364}$/),
  publicKey: z.string().regex(/^[\w-]{40,800}$/),
});
const fileFormat = z.strictObject({ version: z.literal(1), approvers: z.array(approver).max(50) });

export type Approver = z.output<typeof approver>;

/** The approvers in a file; none when the file does not exist. Throws an Error that names the file and its fault. */
export function readApprovers(file: string): readonly Approver[] {
  let text: string;
  try {
    const { mode, size } = fs.statSync(file);
    if ((mode & WRITABLE_BY_OTHERS) !== 0)
      throw new Error(`${file} is writable by other users: run "chmod 600" on it.`);
    if (size > MAX_BYTES) throw new Error(`${file} is not a list of approvers: it is too large.`);
    text = fs.readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  const read = fileFormat.safeParse(parsed(text));
  if (!read.success) throw new Error(`${file} is not a list of approvers.`);
  return read.data.approvers;
}

/** Replaces the list. It is durable when the call returns. */
export const writeApprovers = (file: string, approvers: readonly Approver[]): void =>
  durably(file, Buffer.from(`${JSON.stringify({ version: 1, approvers }, null, 2)}\n`));

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
