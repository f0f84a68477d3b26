// What a person types at the signer's terminal is never shown, from the question's first character on.

import { PassThrough, Writable } from 'node:stream';
import type { ReadStream, WriteStream } from 'node:tty';
import { expect, test } from 'vitest';
import { systemTerminal } from './terminal';

test('the terminal stops showing keys before it asks, and shows them again after the answer', async () => {
  const steps: string[] = [];
  const input = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (isRaw: boolean) => void steps.push(isRaw ? 'hidden' : 'shown'),
  });
  const output = new Writable({
    write: (text: Buffer, _, done) => {
      steps.push(text.toString());
      done();
    },
  });
  const terminal = systemTerminal(input as unknown as ReadStream, output as unknown as WriteStream);
  const answer = terminal.prompt('Word 7: ');
  input.write('ripplex\u007f\r');
  expect(await answer).toBe('ripple');
  expect(steps).toEqual(['hidden', 'Word 7: ', 'shown', '\n']);
});
