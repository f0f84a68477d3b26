import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
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

it('ends the process once, at the armed point and at the first or the named hit', () => {
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

it('halts at the point and network that a folder names until the test removes the file', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'crash-point-'));
  const [arm, standing] = [path.join(folder, 'armed'), path.join(folder, 'standing')];
  armCrashPoint(`at:${folder}`);
  crashpoint('after-draft', 'tron');
  fs.mkdirSync(arm);
  fs.writeFileSync(path.join(arm, 'after-draft tron'), '');
  fs.writeFileSync(path.join(arm, 'after-seen'), '');
  crashpoint('after-draft', 'bsc');
  crashpoint('after-asked', 'tron');
  expect(fs.readdirSync(arm)).toHaveLength(2);

  // A halted process does nothing, so another thread removes the file.
  const letGo = `const fs = require('node:fs');
    const standing = ${JSON.stringify(standing)};
    const watch = setInterval(() => {
      if (!fs.existsSync(standing)) return;
      clearInterval(watch);
      setTimeout(() => fs.rmSync(standing), 150);
    }, 10);`;
  const helper = new Worker(letGo, { eval: true });
  const started = performance.now();
  crashpoint('after-draft', 'tron');
  expect(performance.now() - started).toBeGreaterThan(100);
  expect(fs.readdirSync(folder)).toEqual(['armed']);
  expect(fs.readdirSync(arm)).toEqual(['after-seen']);

  // Disarmed, it does not halt.
  crashpoint('after-draft', 'tron');
  fs.rmSync(arm, { recursive: true });
  crashpoint('after-seen', 'tron');
  fs.rmSync(folder, { recursive: true });
  return helper.terminate();
});
