// The signer's list of approvers: the passkeys whose signatures approve refunds, each with the name of its person. The file is on
// the signer's machine, beside the keystore, and only the command `approvers` writes it. Passkeys of the web process's database
// count for nothing here, so a web process that was taken over cannot add an approver.

import fs from 'node:fs';
import { z } from 'zod';
import { durably } from '@/lib/signer/files/durable-file';

/** A few dozen approvers with the longest credential ids. Anything larger is another file. */
const MOST_BYTES = 131_072;
/** The digit for writing by group and by others in a file's mode. */
const WRITABLE_BY_OTHERS = 0o022;

/** A person's name as the command takes it: one line of visible characters. */
export const PERSON = /^[^\p{C}]{1,60}$/u;

const approver = z.strictObject({
  person: z.string().regex(PERSON),
  credentialId: z.string().regex(/^[\w-]{16,1364}$/),
  publicKey: z.string().regex(/^[\w-]{40,800}$/),
});
const fileFormat = z.strictObject({ version: z.literal(1), approvers: z.array(approver).max(50) });

export type Approver = z.output<typeof approver>;

/** The approvers of a file; none when there is no such file. Throws an Error that names the file and what is wrong with it. */
export function readApprovers(file: string): readonly Approver[] {
  let text: string;
  try {
    const { mode, size } = fs.statSync(file);
    if ((mode & WRITABLE_BY_OTHERS) !== 0)
      throw new Error(`${file} is writable by other users: run "chmod 600" on it.`);
    if (size > MOST_BYTES) throw new Error(`${file} is not a list of approvers: it is too large.`);
    text = fs.readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  const read = fileFormat.safeParse(parsed(text));
  if (!read.success) throw new Error(`${file} is not a list of approvers.`);
  return read.data.approvers;
}

/** Replaces the list. The whole list is on the disk when the call returns. */
export const writeApprovers = (file: string, approvers: readonly Approver[]): void =>
  durably(file, Buffer.from(`${JSON.stringify({ version: 1, approvers }, null, 2)}\n`));

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
