// The planted bugs as files, and what their command reads and prints. Planting them takes hours and needs a database server:
// `npm run simulate:planted`.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readArguments, readResult, tableOf } from './planted-results.mjs';

const ROOT = path.join(import.meta.dirname, '..');
const PLANTED = path.join(import.meta.dirname, 'planted');
/** The number that the simulator is measured with. */
const LEAST = 42;
const MAX_CHANGED_LINES = 16;

const files = fs.readdirSync(PLANTED).filter((file) => file !== 'README.md');
const names = files.map((file) => file.replace(/\.patch$/, ''));
const readPatch = (file: string): string => fs.readFileSync(path.join(PLANTED, file), 'utf8');

describe('planted bugs', () => {
  it('are at least as many as the simulator is measured with', () => {
    expect(names.length).toBeGreaterThanOrEqual(LEAST);
  });

  it.each(files)('%s applies to the present sources', (file) => {
    const { status, stderr } = spawnSync('git', ['apply', '--check', path.join(PLANTED, file)], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  it('have a sentence in kebab case as their name, and change a few lines of the product only', () => {
    for (const file of files) {
      expect(file).toMatch(/^[a-z0-9]+(-[a-z0-9]+)+\.patch$/);
      const lines = readPatch(file).split('\n');
      const changed = lines.filter((line) => /^[-+](?![-+]{2} )/.test(line));
      expect({ file, isSmall: changed.length > 0 && changed.length <= MAX_CHANGED_LINES }).toEqual({
        ...{ file, isSmall: true },
      });
      for (const line of lines.filter((one) => one.startsWith('+++ '))) expect(line).toMatch(/^\+\+\+ b\/lib\//);
    }
  });

  it('have one row each in their README, and no row is left over', () => {
    const rows = readPatch('README.md').match(/^\| `[^`]+`/gm) ?? [];
    expect(rows.map((row) => row.slice(3, -1)).toSorted()).toEqual(names.toSorted());
  });
});

describe('the arguments of the command', () => {
  const all = ['a-refund-is-lost', 'an-event-is-lost', 'a-cursor-jumps'];

  it('choose all bugs by default, and else those with one of the texts in their names', () => {
    expect(readArguments([], all)).toEqual({ histories: 200, seed: 1, jobs: 1, server: undefined, chosen: all });
    const given = [
      '--histories',
      '2000',
      '--seed',
      '0',
      '--jobs',
      '2',
      '--server',
      'postgresql://here',
      'lost',
      'jumps',
    ];
    expect(readArguments(given, all)).toEqual({
      ...{ histories: 2000, seed: 0, jobs: 2, server: 'postgresql://here', chosen: all },
    });
    expect(readArguments(['event'], all).chosen).toEqual(['an-event-is-lost']);
  });

  it('refuse a text that no name contains, also beside one that does', () => {
    expect(() => readArguments(['lost', 'typo'], all)).toThrow('no planted bug has "typo" in its name');
  });

  it.each([
    ['--histories', '0'],
    ['--histories', '1.5'],
    ['--histories', '10x'],
    ['--histories', ''],
    ['--seed', '0x10'],
    ['--seed', '01'],
    ['--jobs', '0'],
    ['--jobs', '9'],
  ])('refuse %s %s', (option, text) => {
    expect(() => readArguments([`${option}=${text}`], all)).toThrow(`${option} must be a whole number`);
  });

  it('refuse an option that does not exist', () => {
    expect(() => readArguments(['--history', '10'], all)).toThrow("'--history'");
  });
});

describe('the result of a simulator', () => {
  const ended = { status: 0, signal: null, stdout: '', stderr: '' };

  it('is found with the number of histories and the first sentence of the violation', () => {
    const stdout = [
      'seeds from 1, 120 steps each',
      'history 37: seed 38 failed after step 81: refund 2 was paid twice. Its payer got 25.00 back.',
      '    at somewhere',
    ].join('\n');
    expect(readResult('a', { ...ended, status: 1, stdout })).toEqual({
      ...{ name: 'a', kind: 'found', histories: 37, seed: 38, violation: 'refund 2 was paid twice.' },
    });
    const short = 'history 1: seed 9 failed after step null: INV-2f (a statement): transfer 1.5 is off';
    expect(readResult('a', { ...ended, status: 1, stdout: short })).toMatchObject({
      ...{ histories: 1, violation: 'INV-2f (a statement): transfer 1.5 is off' },
    });
  });

  it('is missed only after a run that ended without a violation', () => {
    const stdout =
      'seeds from 1, 120 steps each\n200 histories and 24000 steps in 40.0 s: nothing found\n5.00 a second\n';
    expect(readResult('a', { ...ended, stdout })).toEqual({ name: 'a', kind: 'missed', histories: 200 });
    expect(readResult('a', { ...ended, stdout: 'seeds from 1\n' })).toMatchObject({ kind: 'failed' });
  });

  it('is failed when the simulator crashed or was killed, with its message', () => {
    const stderr = 'file.ts:1\nthrow new Error\n\nError: connect ECONNREFUSED 127.0.0.1:1\n    at somewhere\n';
    expect(readResult('a', { ...ended, status: 1, stderr })).toEqual({
      ...{ name: 'a', kind: 'failed', reason: 'the simulator ended with 1: Error: connect ECONNREFUSED 127.0.0.1:1' },
    });
    expect(readResult('a', { ...ended, status: null, signal: 'SIGKILL' })).toEqual({
      ...{ name: 'a', kind: 'failed', reason: 'the simulator ended with SIGKILL: no output' },
    });
  });
});

it('prints failures apart from bugs that were not found, and counts the found ones of all', () => {
  const lines = tableOf([
    { name: 'b-two', kind: 'missed', histories: 200 },
    { name: 'c-three', kind: 'failed', reason: 'patch does not apply' },
    { name: 'a-long-name', kind: 'found', histories: 37, seed: 38, violation: 'refund 2 was paid twice.' },
  ]);
  expect(lines).toEqual([
    'a-long-name     37  refund 2 was paid twice.',
    'b-two            -  not found in 200',
    '',
    '1 did not run:',
    'c-three: patch does not apply',
    '',
    '1 of 3 found',
  ]);
});
