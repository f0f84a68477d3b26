// Writes a file that must not exist yet. A crash or power cut leaves the whole file or none, and an existing file is
// never replaced.

import { randomBytes } from 'node:crypto';
import { link, open, unlink } from 'node:fs/promises';
import path from 'node:path';

/** Writes the file with mode 600; false when it exists already. The file is durable when the call returns. */
export async function writeNewFile(file: string, text: string): Promise<boolean> {
  const directory = path.dirname(file);
  const draft = path.join(directory, `.${path.basename(file)}.${randomBytes(6).toString('hex')}`);
  try {
    const handle = await open(draft, 'wx', 0o600);
    await handle
      .writeFile(text)
      .then(() => handle.sync())
      .finally(() => handle.close());
    // Unlike a rename, a link fails when the target exists.
    const linked = await link(draft, file).then(
      () => true,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'EEXIST') return false;
        throw error;
      },
    );
    if (linked) await syncDirectory(directory);
    return linked;
  } finally {
    await unlink(draft).catch(() => {});
  }
}

/** The name of a new file is durable only once its directory is synced. */
async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r');
  await handle.sync().finally(() => handle.close());
}
