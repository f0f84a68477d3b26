// A lock on a directory, held by one living process. It consists of numbered files, and the highest one names the
// holder. The lock is free when that process is gone, so a kill -9 needs no cleanup. A process takes it by creating the
// next number, which the file system allows only once.

import fs from 'node:fs';
import path from 'node:path';
import { processIdentity } from './process-identity.mjs';

const NAME = /^\.lock\.(\d{1,15})$/;

/**
 * Takes the lock, or returns null when a living process holds it. `takenOver`: the last holder did not release it.
 * @param {string} directory an existing directory
 */
export function takeLock(directory) {
  for (;;) {
    const last = lastNumber(directory);
    const holder = last === 0 ? null : readHolder(fileOf(directory, last));
    if (holder && processIdentity(holder.pid) === holder.identity) return null;
    const mine = fileOf(directory, last + 1);
    if (!createWhole(mine, { pid: process.pid, identity: processIdentity(process.pid) })) continue;
    // While this process slept after the read, others may have taken, released and removed that very number.
    if (lastNumber(directory) !== last + 1) {
      fs.rmSync(mine, { force: true });
      continue;
    }
    removeBelow(directory, last + 1);
    return { takenOver: holder !== null, release: () => replace(mine, {}) };
  }
}

const fileOf = (directory, number) => path.join(directory, `.lock.${number}`);

function lastNumber(directory) {
  const numbers = fs.readdirSync(directory).flatMap((name) => NAME.exec(name)?.slice(1).map(Number) ?? []);
  return Math.max(0, ...numbers);
}

/** Null when it was released, or when a later holder has removed the file. */
function readHolder(file) {
  try {
    const holder = JSON.parse(fs.readFileSync(file, 'utf8'));
    return Number.isInteger(holder.pid) ? holder : null;
  } catch (error) {
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Creates the file with its content atomically; false when it exists. */
function createWhole(file, content) {
  const draft = `${file}.${process.pid}`;
  fs.writeFileSync(draft, JSON.stringify(content), { mode: 0o600 });
  try {
    fs.linkSync(draft, file);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  } finally {
    fs.rmSync(draft, { force: true });
  }
}

/** The highest file stays, released: removing it would let two newcomers take two numbers. */
function replace(file, content) {
  const draft = `${file}.${process.pid}`;
  fs.writeFileSync(draft, JSON.stringify(content), { mode: 0o600 });
  fs.renameSync(draft, file);
}

function removeBelow(directory, number) {
  for (const name of fs.readdirSync(directory)) {
    if (Number(NAME.exec(name)?.[1] ?? number) < number) fs.rmSync(path.join(directory, name), { force: true });
  }
}
