// What an error adds to a line of the log, and what it never adds.

import { expect, test } from 'vitest';
import { openLog } from './log';

const SECRET = 'ab/cd';

/** The error of `new URL` for a password that is not percent-encoded. Its field `input` is the whole address. */
function unreadable(): Error {
  try {
    return new Error(`unexpected: ${new URL(`redis://:${SECRET}@127.0.0.1:6379`).href}`);
  } catch (error) {
    return error as Error;
  }
}

function written(write: (log: ReturnType<typeof openLog>) => void): Record<string, unknown> {
  const lines: string[] = [];
  write(openLog('test', 'info', { write: (line: string) => void lines.push(line) }));
  expect(lines).toHaveLength(1);
  expect(lines[0]).not.toContain(SECRET);
  return JSON.parse(lines[0]!) as Record<string, unknown>;
}

test('writes name, message, stack and code of an error, and none of its other fields', () => {
  const error = unreadable();
  expect(error).toMatchObject({ input: expect.stringContaining(SECRET) });
  const err = { type: 'TypeError', message: 'Invalid URL', code: 'ERR_INVALID_URL', stack: error.stack };
  expect(written((log) => log.warn({ err: error }, 'a step failed')).err).toEqual(err);
  expect(written((log) => log.warn(error)).err).toEqual(err);
  expect(written((log) => log.child({ part: 'a' }).error({ err: error }, 'a step failed')).err).toEqual(err);
});

test('writes message and stack of the causes of an error, and none of their other fields', () => {
  const err = new Error('no connection', { cause: unreadable() });
  expect(written((log) => log.warn({ err }, 'a step failed')).err).toEqual({
    type: 'Error',
    message: 'no connection: Invalid URL',
    stack: expect.stringContaining('caused by: TypeError'),
  });
});

test('writes the errors that an error holds, and none of their other fields', () => {
  const err = new AggregateError([unreadable(), new AggregateError([unreadable()], 'inner')], 'outer');
  expect(written((log) => log.warn({ err }, 'a step failed')).err).toMatchObject({
    message: 'outer',
    aggregateErrors: [
      { code: 'ERR_INVALID_URL' },
      { message: 'inner', aggregateErrors: [{ message: 'Invalid URL', code: 'ERR_INVALID_URL' }] },
    ],
  });
});

test('writes name and message of a value that only looks like an error, and none of its other fields', () => {
  const err = { message: 'no', config: { url: SECRET } };
  expect(written((log) => log.warn({ err }, 'a step failed')).err).toEqual({
    type: 'Object',
    message: 'no',
    stack: '',
  });
});
