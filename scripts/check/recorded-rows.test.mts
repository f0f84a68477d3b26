// The row type of every hand-written SQL statement says what PostgreSQL returns. `npm test` runs this file after the others, over what
// they recorded in RECORDED_ROWS. RECORDED_ALL is set when all of them ran.

import path from 'node:path';
import { expect, test } from 'vitest';
import { missingConstraints, readRecordings, unrunStatements, wrongRowTypes } from './row-types';

const ROOT = path.join(import.meta.dirname, '../..');
const recorded = process.env.RECORDED_ROWS;

test.skipIf(recorded === undefined)('each row type has the columns, types and nulls of its statement', () => {
  const recordings = readRecordings(recorded ?? '');
  expect(recordings.flatMap(({ catalog }) => missingConstraints(catalog)).join(', ')).toBe('');
  expect(wrongRowTypes(ROOT, recordings).join(', ')).toBe('');
});

test.skipIf(process.env.RECORDED_ALL === undefined)('each statement with a row type runs in a test', () => {
  expect(unrunStatements(ROOT, readRecordings(recorded ?? '')).join(', ')).toBe('');
});
