// The file of a Unix socket, accessible to this user only. A new process replaces the file of a killed one, but never
// that of a process that still listens.

import { randomBytes } from 'node:crypto';
import { chmod, lstat, mkdir, rename, unlink } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';

/** Listens at the path with mode 600. Throws when a live process listens there or the path is not a socket. */
export async function listenOnSocket(server: net.Server, socketPath: string): Promise<void> {
  await mkdir(path.dirname(socketPath), { recursive: true, mode: 0o700 });
  await removeStale(socketPath);
  // The process's umask protects the socket between these two calls.
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(socketPath, () => {
      server.off('error', reject);
      resolve();
    });
  });
  await chmod(socketPath, 0o600);
}

async function removeStale(socketPath: string): Promise<void> {
  const found = await lstat(socketPath).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (!found) return;
  if (!found.isSocket()) throw new Error('SIGNER_SOCKET names something that is not a socket; nothing was changed.');
  if (await isListening({ path: socketPath })) throw taken();
  // Another signer may have started in the meantime. Rename the file first, so that it can be probed once more before
  // it is deleted.
  const aside = `${socketPath}.${randomBytes(3).toString('hex')}`;
  await rename(socketPath, aside);
  if (await isListening({ path: aside })) {
    await rename(aside, socketPath);
    throw taken();
  }
  await unlink(aside);
}

/** Whether a process listens there. */
export const isListening = (place: { readonly path: string } | { readonly host: string; readonly port: number }) =>
  new Promise<boolean>((resolve, reject) => {
    const probe = net.connect(place);
    probe.once('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') resolve(false);
      else reject(error);
    });
  });

const taken = () => new Error('Another signer is running on SIGNER_SOCKET; there may be only one.');
