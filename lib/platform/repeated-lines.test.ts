// What the log leaves out while everything fails in the same way, and what it never leaves out.

import { spawnSync } from 'node:child_process';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openLog } from './log';

let lines: Record<string, unknown>[];
let log: ReturnType<typeof openLog>;
beforeEach(() => {
  vi.useFakeTimers();
  lines = [];
  log = openLog('test', 'info', { write: (line: string) => void lines.push(JSON.parse(line)) });
});
afterEach(() => void vi.useRealTimers());

const fault = (message: string, code?: string) => Object.assign(new Error(message), { code });
const minute = () => vi.advanceTimersByTime(60_000);

test('of equal failures the first three are written with their stacks, and after a minute the last one with their number', () => {
  for (let n = 0; n < 50; n++) log.error({ err: fault('no'), step: 'a', failures: n }, 'a step failed');
  expect(lines.map(({ failures }) => failures)).toEqual([0, 1, 2]);
  expect(lines[0]).toMatchObject({ msg: 'a step failed', err: { stack: expect.stringContaining('Error: no') } });
  minute();
  expect(lines.slice(3)).toMatchObject([{ msg: 'a step failed', level: 50, failures: 49, step: 'a', repeated: 47 }]);
  minute();
  log.error({ err: fault('no'), step: 'a' }, 'a step failed');
  expect(lines).toHaveLength(5);
});

test('failures that differ in their message, step or cause are all written', () => {
  for (let n = 0; n < 20; n++) {
    log.error({ err: fault('no'), step: `step ${n}` }, 'a step failed');
    log.error({ err: fault(`no ${n}`), step: 'a' }, 'a step failed');
    log.error({ err: fault('no') }, `message ${n}`);
  }
  expect(lines).toHaveLength(60);
});

test('fields and errors of any kind are written', () => {
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  for (const err of [null, undefined, 'text', 7n, circle, fault('no')])
    log.error({ err, amount: 5n, circle }, 'a step failed');
  expect(lines).toHaveLength(6);
});

test('lines without an error are all written', () => {
  for (let n = 0; n < 20; n++) log.warn({ kind: 'wrong_signature' }, 'security event');
  expect(lines).toHaveLength(20);
});

test('while the database takes no writes, each step and all requests together write four lines a minute', () => {
  for (let n = 0; n < 1000; n++) {
    const err = fault(`cannot execute ${n % 2 ? 'INSERT' : 'UPDATE'} in a read-only transaction`, '25006');
    log.error({ err, step: 'a', failures: n, pause: n }, 'a step failed and will be tried again');
    log.error({ err, requestId: `req_${n}` }, 'the database cannot answer now');
  }
  minute();
  expect(lines).toHaveLength(8);
  expect(lines.slice(-2)).toMatchObject([{ repeated: 997 }, { repeated: 997 }]);
});

test('a server that refuses connections hides no other step, message, part of the process or server', () => {
  const refused = (to: string) => fault(`connect ECONNREFUSED ${to}`, 'ECONNREFUSED');
  for (let n = 0; n < 9; n++) {
    log.error({ err: refused('10.0.0.1:5432'), step: 'a' }, 'a step failed');
    log.error({ err: refused('10.0.0.1:5432'), step: 'b' }, 'a step failed');
    log.error({ err: refused('10.0.0.1:5432'), step: 'a' }, 'a mail was not sent');
    log.error({ err: refused('10.0.0.2:8545'), step: 'a' }, 'a step failed');
    log.child({ network: 'tron' }).error({ err: refused('10.0.0.1:5432'), step: 'a' }, 'a step failed');
  }
  expect(lines).toHaveLength(15);
});

test('errors of several addresses at once are told apart by the errors that they hold', () => {
  const both = (port: number) =>
    Object.assign(new AggregateError([fault(`no ::1:${port}`), fault(`no 127.0.0.1:${port}`)]), {
      code: 'ECONNREFUSED',
    });
  for (let n = 0; n < 9; n++) {
    log.error({ err: both(5432) }, 'a step failed');
    log.error({ err: both(8545) }, 'a step failed');
  }
  expect(lines).toHaveLength(6);
});

test('what was held back is written when the process ends', () => {
  const program = `
    import { openLog } from '@/lib/platform/log';
    const log = openLog('test', 'info');
    for (let n = 0; n < 9; n++) log.error({ err: new Error('no') }, 'a step failed');`;
  const { stdout } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  expect(
    stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { repeated?: number }).repeated),
  ).toEqual([undefined, undefined, undefined, 6]);
}, 30_000);

test('a secret is removed from the line that is written later, too', () => {
  for (let n = 0; n < 5; n++) log.error({ err: fault('no'), secret: 'whsec_1' }, 'a step failed');
  minute();
  expect(lines).toHaveLength(4);
  expect(JSON.stringify(lines)).not.toContain('whsec_1');
});
