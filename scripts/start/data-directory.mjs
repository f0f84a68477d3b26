// The data directory: everything an installation stores is in it. Only one start at a time uses it.

import fs from 'node:fs';
import path from 'node:path';
import { takeLock } from './lock.mjs';
import { Refusal } from './refusal.mjs';

/** A new database takes 50 MB and its write-ahead log may grow by more before it is recycled. */
const LEAST_FREE_MB = 300;

/**
 * Creates the directory if needed, takes its lock and checks the free disk space. Throws a Refusal. `open` lets other
 * users enter their folders without listing it: as root, PostgreSQL runs as `nobody`.
 */
export function openDataDirectory(directory, { open }) {
  const lock = attempt(directory, () => {
    const mode = open ? 0o711 : 0o700;
    // An existing directory keeps its mode: another user may own it. Every file in it that matters has its own mode.
    makeDirectory(directory, mode);
    makeDirectory(path.join(directory, 'logs'), 0o700);
    return takeLock(directory);
  });
  if (!lock) {
    throw new Refusal(
      `Another start is running on the data directory ${directory}: end it, or choose another DATA_DIR.`,
    );
  }
  try {
    checkRoom(directory);
  } catch (error) {
    lock.release();
    throw error;
  }
  return lock;
}

/** Throws a Refusal when the disk is nearly full. */
export function checkRoom(directory, least = LEAST_FREE_MB) {
  const { bavail, bsize } = fs.statfsSync(directory);
  const free = Math.floor((bavail * bsize) / 1_000_000);
  if (free >= least) return;
  throw new Refusal(`The disk of ${directory} is full: ${free} MB are free and at least ${least} MB are needed.`);
}

/** Level by level: where creation is impossible, Node's own recursive mode may retry for ever. */
function makeDirectory(directory, mode) {
  if (fs.statSync(directory, { throwIfNoEntry: false })?.isDirectory()) return;
  const parent = path.dirname(directory);
  if (parent !== directory && !fs.existsSync(parent)) makeDirectory(parent, mode);
  fs.mkdirSync(directory, { mode });
}

const REASONS = {
  ENOENT: 'it cannot be made there',
  EACCES: 'this user may not write there',
  EPERM: 'this user may not write there',
  EROFS: 'its disk is read-only',
  ENOSPC: 'its disk is full',
  EDQUOT: 'its disk quota is used up',
  ENOTDIR: 'a part of the path is a file',
  EEXIST: 'there is a file of that name',
};

function attempt(directory, work) {
  try {
    return work();
  } catch (error) {
    const reason = REASONS[error.code];
    if (!reason) throw error;
    throw new Refusal(`The data directory ${directory} cannot be used: ${reason}.`, { cause: error });
  }
}
