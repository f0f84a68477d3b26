// What a process says, kept in one file and one older one of a bounded size. A log that cannot be written, because the disk
// is full for one, ends nothing: the line is lost and the service goes on.

import fs from 'node:fs';

const MOST_BYTES = 20_000_000;
const TAIL_BYTES = 8_000;

/** Opens the file for appending. `write` takes a chunk; `tail` gives what was written last. */
export function openLogFile(file, mostBytes = MOST_BYTES) {
  let size = fs.existsSync(file) ? fs.statSync(file).size : 0;
  let descriptor = null;
  let last = '';

  function rotate() {
    if (descriptor !== null) fs.closeSync(descriptor);
    descriptor = null;
    fs.renameSync(file, `${file}.1`);
    size = 0;
  }

  function write(chunk) {
    last = (last + chunk).slice(-TAIL_BYTES);
    try {
      if (size > mostBytes) rotate();
      descriptor ??= fs.openSync(file, 'a', 0o600);
      size += fs.writeSync(descriptor, chunk);
    } catch {
      // Said above: nowhere is left to tell it.
    }
  }

  return { file, write, tail: () => last };
}
