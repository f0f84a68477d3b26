// Terminal input and output for the commands that handle backup words and approvers. Typed input is not echoed, and
// output goes only to the screen.

import type { ReadStream, WriteStream } from 'node:tty';

export type Terminal = {
  /** Whether both ends are a terminal, not a pipe or a file. */
  readonly isTerminal: boolean;
  /** Shows a prompt and returns the line that is typed; the input is not shown. */
  prompt(text: string): Promise<string>;
  print(text: string): void;
};

/** Clears the screen and the scrollback. */
export const CLEAR = '\u001B[2J\u001B[3J\u001B[H';

/** Longer than any backup words, passphrase or approver code. Longer input is something else. */
const MAX_CHARACTERS = 2400;

/** Throws unless input and output are a terminal. */
export function requireTerminal(terminal: Terminal): void {
  if (!terminal.isTerminal) throw new Error('This command needs a terminal: nothing may be piped in or out.');
}

/** The terminal of this process. */
export function systemTerminal(input: ReadStream, output: WriteStream): Terminal {
  return {
    isTerminal: input.isTTY && output.isTTY,
    print: (text) => void output.write(`${text}\n`),
    prompt: async (text) => {
      // Before the text: a key typed right after it would be shown.
      input.setRawMode(true);
      output.write(text);
      try {
        return await readLine(input);
      } finally {
        input.setRawMode(false);
        input.pause();
        output.write('\n');
      }
    },
  };
}

/** Reads keys in raw mode up to Enter. Throws at Ctrl-C, Ctrl-D and the end of the input. */
function readLine(input: ReadStream): Promise<string> {
  return new Promise((resolve, reject) => {
    let typed = '';
    const stop = (finish: () => void) => {
      input.off('data', take);
      input.off('end', giveUp);
      finish();
    };
    const giveUp = () => stop(() => reject(new Error('Nothing was done.')));
    const take = (keys: string) => {
      for (const key of keys) {
        if (key === '\r' || key === '\n') return stop(() => resolve(typed));
        if (key === '\u0003' || key === '\u0004' || typed.length >= MAX_CHARACTERS) return giveUp();
        typed = key === '\u007f' || key === '\b' ? typed.slice(0, -1) : typed + key;
      }
    };
    input.setEncoding('utf8').on('data', take).once('end', giveUp).resume();
  });
}
