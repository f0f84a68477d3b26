// Files that are on the disk, whole or not at all, when the call returns.

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

/** The name of a new file is on the disk only once its directory is. */
export function syncDirectory(directory: string): void {
  const fd = fs.openSync(directory, 'r');
  fs.fsyncSync(fd);
  fs.closeSync(fd);
}
