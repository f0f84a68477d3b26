// Parallel work ends in the order in which it began, and work that waits for other work stops nothing.

import { expect, it } from 'vitest';
import { openTurns } from './turns';

const LONG = 60_000;

it('work begins when the work before it has ended, also when that failed', async () => {
  const inTurn = openTurns(LONG);
  const told: string[] = [];
  let end!: () => void;
  const first = inTurn(() => new Promise<void>((resolve) => (end = resolve))).then(() => told.push('first ends'));
  const second = inTurn(() => Promise.reject(new Error('refused')));
  const third = inTurn(() => Promise.resolve(told.push('third begins')));
  await Promise.resolve();
  expect(told).toEqual([]);
  end();
  await expect(second).rejects.toThrow('refused');
  await Promise.all([first, third]);
  expect(told).toEqual(['first ends', 'third begins']);
});

it('work that waits for later work lets it pass', async () => {
  const inTurn = openTurns(1);
  let release!: () => void;
  const lock = new Promise<void>((resolve) => (release = resolve));
  const waiting = inTurn(() => lock.then(() => 'had the lock'));
  await inTurn(() => Promise.resolve(release()));
  expect(await waiting).toBe('had the lock');
});
