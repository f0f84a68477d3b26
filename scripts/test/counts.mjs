// Turns the reports of the test runners into counts that can be added. Errors outside any test also count as failures:
// a file that does not load, an uncaught error, an empty run.

import fs from 'node:fs';
import { stripVTControlCharacters } from 'node:util';

/** @typedef {{ passed: number, failed: number }} Count */

/** @param {Count[]} counts @returns {Count} */
export const sum = (counts) =>
  counts.reduce((all, one) => ({ passed: all.passed + one.passed, failed: all.failed + one.failed }), {
    passed: 0,
    failed: 0,
  });

/** The closing line, alone on its line and last, that CI reads. @param {Count} count */
export const closingLine = ({ passed, failed }) => `${passed} passed, ${failed} failed`;

/** Vitest's JSON report. @param {string} file @param {number | null} code exit code of the runner */
export function vitestCount(file, code) {
  const report = readReport(file);
  if (!report) return { passed: 0, failed: 1 };
  const unloaded = report.testResults.filter((one) => one.status === 'failed' && !one.assertionResults.some(isFailed));
  return atLeastOneFailure({ passed: report.numPassedTests, failed: report.numFailedTests + unloaded.length }, code);
}

const isFailed = (one) => one.status === 'failed';

/** Failures in Vitest's JSON report, one line each: file, test, first line of the message. @param {string} file */
export function vitestFailures(file) {
  const report = readReport(file);
  return (report?.testResults ?? []).flatMap((one) => {
    const tests = one.assertionResults.filter(isFailed);
    if (tests.length === 0) return one.status === 'failed' ? [failureLine(one.name, '', one.message)] : [];
    return tests.map((test) => failureLine(one.name, test.fullName, test.failureMessages[0]));
  });
}

/** A run with more failed files than this is broken, not unlucky: they do not run again. */
const MAX_TO_REPEAT = 3;

/**
 * The files to run a second time, alone: those with a failed test. Empty when there are many or the runner was killed.
 * @param {string} file @param {number | null} code
 */
export function filesToRepeat(file, code) {
  const failed = (readReport(file)?.testResults ?? []).filter(({ status }) => status === 'failed');
  const isKnown = failed.length > 0 && failed.length <= MAX_TO_REPEAT && code === 1;
  return isKnown ? failed.map(({ name }) => name) : [];
}

/**
 * The count of a run whose failed files ran again. Each of their tests counts with its second result.
 * @param {string} first @param {string} second @param {number | null} code exit code of the second run
 */
export function repeatedCount(first, second, code) {
  const report = readReport(first);
  if (!report) return { passed: 0, failed: 1 };
  const isPassed = (one) => one.status === 'passed';
  const others = report.testResults.filter(({ status }) => status !== 'failed').flatMap((one) => one.assertionResults);
  return sum([{ passed: others.filter(isPassed).length, failed: 0 }, vitestCount(second, code)]);
}

/** The same of Playwright's JSON report. @param {string} file */
export const playwrightFailures = (file) => playwrightLines(file, (spec) => !spec.ok);

/** The browser stories that failed and then passed. @param {string} file */
export const playwrightFlaky = (file) =>
  playwrightLines(file, (spec) => spec.ok && spec.tests.some(({ status }) => status === 'flaky'));

function playwrightLines(file, isListed) {
  const specs = (suite) => [...(suite.specs ?? []), ...(suite.suites ?? []).flatMap(specs)];
  const listed = (readReport(file)?.suites ?? []).flatMap(specs).filter(isListed);
  return listed.map((spec) => failureLine(spec.file, spec.title, firstError(spec)));
}

/** Its first line, where it was thrown, and what it compared. */
function firstError(spec) {
  const error = spec.tests.flatMap((test) => test.results).find((result) => result.error)?.error;
  const lines = stripVTControlCharacters(error?.message ?? '').split('\n');
  const compared = lines
    .filter((line) => /^(?:Expected|Received)\b/.test(line))
    .map((line) => line.replaceAll(/\s+/g, ' '));
  return [`${lines[0]}${error?.location ? ` (line ${error.location.line})` : ''}`, ...compared].join(', ');
}

function failureLine(file, test, message = '') {
  const [first = ''] = stripVTControlCharacters(message).split('\n');
  return [file.replace(`${process.cwd()}/`, ''), test, first].filter(Boolean).join(' · ').slice(0, 500);
}

/** Playwright's JSON report; a story that passed on its second run counts as passed. @param {string} file @param {number | null} code */
export function playwrightCount(file, code) {
  const report = readReport(file);
  if (!report) return { passed: 0, failed: 1 };
  const { expected, unexpected, flaky } = report.stats;
  return atLeastOneFailure({ passed: expected + flaky, failed: unexpected + report.errors.length }, code);
}

/**
 * The acceptance programs' JSON report, without the cases in `leftOut`. Exit code 1: the report counts the failures.
 * @param {string} file @param {{ code: number | null, leftOut: string[] }} run
 */
export function acceptanceCount(file, { code, leftOut }) {
  const report = readReport(file);
  if (!report) return { passed: 0, failed: 1 };
  const results = report.cases.filter(({ id }) => !leftOut.includes(id)).map(({ result }) => result);
  const count = (wanted) => results.filter((result) => result === wanted).length;
  return atLeastOneFailure({ passed: count('passed'), failed: count('failed') }, code === 1 ? 0 : code);
}

/** The counts in a closing line, found in a program's output; the last one counts. @param {string} text @param {number | null} code */
export function closingCount(text, code) {
  const lines = [...text.matchAll(/^(\d+) passed, (\d+) failed$/gm)];
  const last = lines.at(-1);
  if (!last) return { passed: 0, failed: 1 };
  return atLeastOneFailure({ passed: Number(last[1]), failed: Number(last[2]) }, code);
}

function atLeastOneFailure({ passed, failed }, code) {
  const silent = failed === 0 && (code !== 0 || passed === 0);
  return { passed, failed: silent ? 1 : failed };
}

function readReport(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return null;
    throw error;
  }
}
