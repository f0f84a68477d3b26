import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { startServer } from './child.mjs';
import { openLogFile } from './log-file.mjs';
import { processIdentity } from './process-identity.mjs';
import { Service } from './service.mjs';

const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-service-'));
afterAll(() => fs.rmSync(directory, { recursive: true, force: true }));

const READY = `console.log(JSON.stringify({ ready: true, pid: process.pid }));`;
const OBEDIENT = `${READY} process.on('SIGTERM', () => process.exit(0)); process.stdin.on('end', () => process.exit(0)).resume();`;

type Said = { pid: number };

/** A service whose program is `code`, with every line that it printed and the process of each life. */
function serviceOf(code: string) {
  const lines: string[] = [];
  const lives: Said[] = [];
  let tellNext = (_said: Said) => {};
  const log = openLogFile(path.join(directory, 'program.log'));
  const service = new Service({
    name: 'program',
    launch: () => startServer({ args: ['-e', code], cwd: directory, env: { PATH: process.env.PATH ?? '' }, log }),
    say: (line) => lines.push(line),
    onAgain: (said: Said) => {
      lives.push(said);
      tellNext(said);
    },
  });
  const nextLife = () => new Promise<Said>((resolve) => (tellNext = resolve));
  return { service, lines, nextLife, log };
}

/** An exited process counts as gone, even before its parent has reaped it. */
const isAlive = (pid: number): boolean => processIdentity(pid) !== null;

test('a killed process is restarted, and one line reports it', async () => {
  const { service, lines, nextLife } = serviceOf(OBEDIENT);
  const first = (await service.start()) as Said;
  const second = nextLife();
  process.kill(first.pid, 'SIGKILL');
  expect((await second).pid).not.toBe(first.pid);
  expect(lines).toEqual(['program ended (SIGKILL); starting it again']);
  await service.stop();
  expect(isAlive((await second).pid)).toBe(false);
});

test('a stopped service starts again when it is asked to, and is kept alive as before', async () => {
  const { service, lines, nextLife } = serviceOf(OBEDIENT);
  const first = (await service.start()) as Said;
  await service.stop();
  const second = (await service.start()) as Said;
  expect([isAlive(first.pid), isAlive(second.pid)]).toEqual([false, true]);
  const third = nextLife();
  process.kill(second.pid, 'SIGKILL');
  expect(isAlive((await third).pid)).toBe(true);
  expect(lines).toHaveLength(1);
  await service.stop();
});

test('a process that was stopped is not started again', async () => {
  const { service, lines } = serviceOf(OBEDIENT);
  const { pid } = (await service.start()) as Said;
  await service.stop();
  expect(isAlive(pid)).toBe(false);
  expect(lines).toEqual([]);
  await service.restart();
  expect(lines).toEqual([]);
});

test('a planned restart says nothing and resolves when the successor is ready', async () => {
  const { service, lines, nextLife } = serviceOf(OBEDIENT);
  const first = (await service.start()) as Said;
  const second = nextLife();
  await service.restart();
  expect((await second).pid).not.toBe(first.pid);
  expect(lines).toEqual([]);
  await service.stop();
});

test('a process that cannot start the first time is a failure, not a loop', async () => {
  const { service, lines, log } = serviceOf(`console.error('no settings'); process.exit(3);`);
  await expect(service.start()).rejects.toThrow('ended (code 3) before it was ready');
  expect(lines).toEqual([]);
  expect(log.tail()).toContain('no settings');
});

test('what a process started and left behind ends with it', async () => {
  const grandchild = `require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' }).pid`;
  const { service, nextLife } = serviceOf(
    `console.log(JSON.stringify({ ready: true, pid: process.pid, left: ${grandchild} })); setInterval(() => {}, 1000);`,
  );
  const { pid, left } = (await service.start()) as Said & { left: number };
  const second = nextLife();
  process.kill(pid, 'SIGKILL');
  await second;
  expect(isAlive(left)).toBe(false);
  await service.stop();
});
