// Files with secrets in the data directory: readable by their owner only, and never half written.

import fs from 'node:fs';

/** Replaces a file with the value as JSON. A crash leaves the old one or the new one. */
export function writePrivately(file: string, value: unknown): void {
  const temporary = `${file}.${process.pid}.new`;
  fs.rmSync(temporary, { force: true });
  fs.writeFileSync(temporary, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  fs.renameSync(temporary, file);
}
