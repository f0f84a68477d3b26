// Atomic, durable file writes: after the call the whole file is on the disk, or the previous one is.

import fs from 'node:fs';
import path from 'node:path';

/** Writes a file for its owner only, replacing one of the same name. */
export function durably(file: string, bytes: Buffer): void {
  const draft = `${file}.draft`;
  const fd = fs.openSync(draft, 'w', 0o600);
  try {
    for (let done = 0; done < bytes.length;) done += fs.writeSync(fd, bytes, done);
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
  fs.renameSync(draft, file);
  syncDirectory(path.dirname(file));
}

/** The name of a new file is durable only once its directory is synced. */
export function syncDirectory(directory: string): void {
  const fd = fs.openSync(directory, 'r');
  fs.fsyncSync(fd);
  fs.closeSync(fd);
}
