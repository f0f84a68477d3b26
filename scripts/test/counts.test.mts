// No failure can be counted as a success.

import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import {
  closingCount,
  closingLine,
  filesToRepeat,
  playwrightCount,
  playwrightFailures,
  playwrightFlaky,
  repeatedCount,
  sum,
  vitestCount,
  vitestFailures,
} from './counts.mjs';

const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-counts-'));
afterAll(() => fs.rmSync(directory, { recursive: true }));
const written = (content: unknown): string => {
  const file = path.join(directory, 'report.json');
  fs.writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
};

const vitest = (passed: number, failed: number, testResults: object[] = []) =>
  written({ numPassedTests: passed, numFailedTests: failed, testResults });
const playwright = (stats: object, errors: object[] = []) =>
  written({ stats: { expected: 0, unexpected: 0, flaky: 0, ...stats }, errors });

describe('a run of unit tests', () => {
  test('counts what passed and what failed', () => {
    expect(vitestCount(vitest(5, 0), 0)).toEqual({ passed: 5, failed: 0 });
    expect(vitestCount(vitest(5, 2), 1)).toEqual({ passed: 5, failed: 2 });
  });
  test('with a file that does not load has failed', () => {
    expect(vitestCount(vitest(5, 0, [{ status: 'failed', assertionResults: [] }]), 1)).toEqual({
      passed: 5,
      failed: 1,
    });
  });
  test('whose runner failed although every test passed has failed', () => {
    expect(vitestCount(vitest(5, 0), 1).failed).toBe(1);
    expect(vitestCount(vitest(5, 0), null).failed).toBe(1);
  });
  test('without any test, without a report or with a truncated one has failed', () => {
    expect(vitestCount(vitest(0, 0), 0).failed).toBe(1);
    expect(vitestCount(path.join(directory, 'none.json'), 0).failed).toBe(1);
    expect(vitestCount(written('{"numPassedTests": 5'), 0).failed).toBe(1);
  });
});

describe('files whose tests failed', () => {
  const results = (statuses: string[]) =>
    statuses.map((status, n) => ({ name: `/lib/${n}.test.ts`, status, assertionResults: [{ status }] }));
  const report = (name: string, statuses: string[]): string => {
    const file = path.join(directory, name);
    const of = (wanted: string) => statuses.filter((status) => status === wanted).length;
    const counts = { numPassedTests: of('passed'), numFailedTests: of('failed') };
    fs.writeFileSync(file, JSON.stringify({ ...counts, testResults: results(statuses) }));
    return file;
  };

  test('run a second time, unless there are many or the runner itself failed', () => {
    const few = report('few.json', ['passed', 'failed', 'passed', 'failed']);
    expect(filesToRepeat(few, 1)).toEqual(['/lib/1.test.ts', '/lib/3.test.ts']);
    expect(filesToRepeat(few, null)).toEqual([]);
    expect(filesToRepeat(report('many.json', ['failed', 'failed', 'failed', 'failed']), 1)).toEqual([]);
    expect(filesToRepeat(report('none.json', ['passed']), 0)).toEqual([]);
  });
  test('count with their second result, and fail when they failed twice', () => {
    const first = report('first.json', ['passed', 'failed', 'passed']);
    expect(repeatedCount(first, report('good.json', ['passed']), 0)).toEqual({ passed: 3, failed: 0 });
    expect(repeatedCount(first, report('bad.json', ['failed']), 1)).toEqual({ passed: 2, failed: 1 });
    expect(repeatedCount(first, path.join(directory, 'missing.json'), 1)).toEqual({ passed: 2, failed: 1 });
  });
});

describe('a run of browser tests', () => {
  test('counts a story by its second try, and an error outside of tests as failed', () => {
    expect(playwrightCount(playwright({ expected: 3 }), 0)).toEqual({ passed: 3, failed: 0 });
    expect(playwrightCount(playwright({ expected: 3, flaky: 1 }), 0)).toEqual({ passed: 4, failed: 0 });
    expect(playwrightCount(playwright({ expected: 3, unexpected: 1 }), 1)).toEqual({ passed: 3, failed: 1 });
    expect(playwrightCount(playwright({ expected: 3 }, [{}]), 1)).toEqual({ passed: 3, failed: 1 });
  });
});

describe('a failure is reported with its file, its name and the first line of its message', () => {
  test('of unit tests, and of files that do not load', () => {
    const failed = { status: 'failed', fullName: 'money adds', failureMessages: ['expected 1\nat line 3'] };
    const tests = [
      { name: `${process.cwd()}/lib/a.test.ts`, status: 'failed', assertionResults: [failed, { status: 'passed' }] },
      { name: '/lib/b.test.ts', status: 'failed', message: 'no such module', assertionResults: [] },
      { name: '/lib/c.test.ts', status: 'passed', assertionResults: [{ status: 'passed' }] },
    ];
    expect(vitestFailures(vitest(2, 1, tests))).toEqual([
      'lib/a.test.ts · money adds · expected 1',
      '/lib/b.test.ts · no such module',
    ]);
    expect(vitestFailures(path.join(directory, 'none.json'))).toEqual([]);
  });
  test('of browser stories, at any depth', () => {
    const spec = (title: string, ok: boolean) => ({
      file: 'pay.spec.ts',
      title,
      ok,
      tests: [{ results: [{ error: { message: '\u001b[31mnot visible\u001b[39m\nCall log' } }] }],
    });
    const report = { suites: [{ specs: [spec('pays', true)], suites: [{ specs: [spec('waits', false)] }] }] };
    expect(playwrightFailures(written(report))).toEqual(['pay.spec.ts · waits · not visible']);
    expect(playwrightFlaky(written(report))).toEqual([]);
  });
  test('of browser stories, with the line and what was compared', () => {
    const message =
      'expect(page).toHaveURL(expected) failed\n\nExpected pattern: /in$/\nReceived string:  "/out"\nCall log';
    const results = [{ error: { message, location: { line: 65 } } }];
    const report = { suites: [{ specs: [{ file: 'pay.spec.ts', title: 'waits', ok: false, tests: [{ results }] }] }] };
    expect(playwrightFailures(written(report))).toEqual([
      'pay.spec.ts · waits · expect(page).toHaveURL(expected) failed (line 65), Expected pattern: /in$/, Received string: "/out"',
    ]);
  });
  test('of browser stories that passed the second time', () => {
    const results = [{ error: { message: 'not visible' } }, {}];
    const spec = { file: 'pay.spec.ts', title: 'pays', ok: true, tests: [{ status: 'flaky', results }] };
    const report = { suites: [{ specs: [spec] }] };
    expect(playwrightFlaky(written(report))).toEqual(['pay.spec.ts · pays · not visible']);
    expect(playwrightFailures(written(report))).toEqual([]);
  });
});

describe('a program’s closing line', () => {
  test('is the last such line, alone on it', () => {
    expect(closingCount('3 passed, 1 failed\nmore\n7 passed, 0 failed\n', 0)).toEqual({ passed: 7, failed: 0 });
  });
  test('that is missing, or contradicted by the exit code, is a failure', () => {
    expect(closingCount('7 passed, 0 failed so far\n', 0).failed).toBe(1);
    expect(closingCount('7 passed, 0 failed\n', 1).failed).toBe(1);
  });
  test('is written from the sum of all parts', () => {
    expect(
      closingLine(
        sum([
          { passed: 1, failed: 0 },
          { passed: 20, failed: 3 },
        ]),
      ),
    ).toBe('21 passed, 3 failed');
  });
});
