import { afterEach, expect, it } from 'vitest';
import { armCrashPoint, crashpoint } from './crash-point';

let ends = 0;
const end = () => void ends++;
afterEach(() => {
  armCrashPoint(undefined);
  ends = 0;
});

it('does nothing unless it is armed', () => {
  crashpoint('after-draft');
  expect(ends).toBe(0);
});

it('ends the process at its own point, at the first hit or the one that is named, once', () => {
  armCrashPoint('after-draft', end);
  crashpoint('after-asked');
  expect(ends).toBe(0);
  crashpoint('after-draft');
  expect(ends).toBe(1);
  armCrashPoint('after-asked:3', end);
  crashpoint('after-asked');
  crashpoint('after-asked');
  expect(ends).toBe(1);
  crashpoint('after-asked');
  crashpoint('after-asked');
  expect(ends).toBe(2);
});

it.each(['', 'nowhere', 'after-draft:0', 'after-draft:x'])('refuses the setting %j', (setting) => {
  expect(() => armCrashPoint(setting)).toThrow('CRASH_POINT: must be one of after-claim,');
});
