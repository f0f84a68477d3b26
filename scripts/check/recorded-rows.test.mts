// The row type of every hand-written SQL statement says what PostgreSQL returns. `npm test` runs this file after the others, over what
// they recorded, whose directory RECORDED_ROWS names.

import path from 'node:path';
import { expect, test } from 'vitest';
import { missingConstraints, readRecordings, wrongRowTypes } from './row-types';

const ROOT = path.join(import.meta.dirname, '../..');
const recorded = process.env.RECORDED_ROWS;

test.skipIf(recorded === undefined)('each row type has the columns, types and nulls of its statement', () => {
  const recordings = readRecordings(recorded ?? '');
  expect(recordings.flatMap(({ catalog }) => missingConstraints(catalog))).toEqual([]);
  expect(wrongRowTypes(ROOT, recordings)).toEqual([]);
});
