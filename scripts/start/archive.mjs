// Writes files into a new .tar.gz with the machine's own tar, readable by this user alone.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/**
 * Throws if the file exists. Names may have folders.
 * @param {string} file
 * @param {Readonly<Record<string, string>>} files
 */
export function writeArchive(file, files) {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-archive-'));
  try {
    for (const [name, text] of Object.entries(files)) {
      const inside = path.join(directory, name);
      if (!inside.startsWith(directory + path.sep)) throw new Error(`${name} is no name of a file.`);
      fs.mkdirSync(path.dirname(inside), { recursive: true });
      fs.writeFileSync(inside, text, { mode: 0o600 });
    }
    const { status, stdout, error } = spawnSync('tar', ['-czf', '-', '-C', directory, ...Object.keys(files)], {
      maxBuffer: 100_000_000,
    });
    if (status !== 0) throw new Error('tar failed: the archive was not written.', { cause: error });
    fs.writeFileSync(file, stdout, { mode: 0o600, flag: 'wx' });
  } finally {
    fs.rmSync(directory, { recursive: true, force: true });
  }
}
