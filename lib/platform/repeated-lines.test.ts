// What the log leaves out while everything fails in the same way, and what it never leaves out.

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

test('while the database takes no writes, all steps and requests together write four lines a minute', () => {
  for (let n = 0; n < 1000; n++) {
    const err = fault(`cannot execute ${n % 2 ? 'INSERT' : 'UPDATE'} in a read-only transaction`, '25006');
    log.error({ err, step: `step ${n}`, failures: n, pause: n }, 'a step failed and will be tried again');
    log.error({ err, requestId: `req_${n}` }, 'the database cannot answer now');
  }
  minute();
  expect(lines).toHaveLength(4);
  expect(lines.at(-1)).toMatchObject({ repeated: 1997 });
});

test('a database that refuses connections does not hide a node that does', () => {
  for (let n = 0; n < 9; n++) {
    log.error({ err: fault('connect ECONNREFUSED 10.0.0.1:5432', 'ECONNREFUSED'), step: `${n}` }, 'a step failed');
    log.error({ err: fault('connect ECONNREFUSED 10.0.0.2:8545', 'ECONNREFUSED'), step: `${n}` }, 'a step failed');
  }
  expect(lines).toHaveLength(6);
  expect(new Set(lines.map(({ err }) => (err as Error).message)).size).toBe(2);
});

test('a secret is removed from the line that is written later, too', () => {
  for (let n = 0; n < 5; n++) log.error({ err: fault('no'), secret: 'whsec_1' }, 'a step failed');
  minute();
  expect(lines).toHaveLength(4);
  expect(JSON.stringify(lines)).not.toContain('whsec_1');
});
