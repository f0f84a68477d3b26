import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { takeLock } from './lock.mjs';
import { processIdentity } from './process-identity.mjs';

let directory = '';
beforeEach(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-lock-'));
});
afterEach(() => fs.rmSync(directory, { recursive: true, force: true }));

const HOLDER = `const { takeLock } = await import(${JSON.stringify(path.join(import.meta.dirname, 'lock.mjs'))});
  console.log(takeLock(process.argv[1]) ? 'taken' : 'refused');`;
const WAITING = `${HOLDER} setInterval(() => {}, 1000);`;

test('a second process is refused while the first one lives, and succeeds after a kill -9', async () => {
  const first = spawn(process.execPath, ['--input-type=module', '-e', WAITING, directory]);
  const [said] = (await once(first.stdout, 'data')) as [Buffer];
  expect(said.toString().trim()).toBe('taken');
  expect(takeLock(directory)).toBeNull();
  first.kill('SIGKILL');
  await once(first, 'exit');
  expect(takeLock(directory)).toMatchObject({ takenOver: true });
});

test('a released lock does not count as left behind', () => {
  takeLock(directory)?.release();
  expect(takeLock(directory)).toMatchObject({ takenOver: false });
});

test('a reused process number does not hold the lock', () => {
  fs.writeFileSync(
    path.join(directory, '.lock.7'),
    JSON.stringify({ pid: process.pid, identity: 'of an earlier process' }),
  );
  expect(takeLock(directory)).toMatchObject({ takenOver: true });
  expect(fs.readdirSync(directory)).toEqual(['.lock.8']);
});

test('exactly one of several concurrent takers succeeds', async () => {
  fs.writeFileSync(path.join(directory, '.lock.3'), JSON.stringify({ pid: 999_999_999, identity: 'gone' }));
  const takers = Array.from({ length: 6 }, () =>
    spawn(process.execPath, ['--input-type=module', '-e', WAITING, directory]),
  );
  const said = await Promise.all(takers.map(async ({ stdout }) => String((await once(stdout, 'data'))[0]).trim()));
  for (const taker of takers) taker.kill('SIGKILL');
  expect(said.toSorted()).toEqual(['refused', 'refused', 'refused', 'refused', 'refused', 'taken']);
});

test('a process is identified by its number and start time, and an ended one has no identity', () => {
  expect(processIdentity(process.pid)).toBe(processIdentity(process.pid));
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  expect(processIdentity(pid)).toBeNull();
});
