// The output of a process, in one file and one older file of bounded size. When the log cannot be written, for example
// on a full disk, the line is lost and the service continues.

import fs from 'node:fs';

const MAX_BYTES = 20_000_000;
const TAIL_BYTES = 8_000;

/** Opens the file for appending. `write` takes a chunk; `tail` returns the last output. */
export function openLogFile(file, mostBytes = MAX_BYTES) {
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
      // See above: there is no other place to report it.
    }
  }

  return { file, write, tail: () => last };
}
