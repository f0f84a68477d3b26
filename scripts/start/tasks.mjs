// One-shot programs on the way to a running installation: installing, building, preparing. A stopped start ends the
// running one and starts no other.

import path from 'node:path';
import { startChild } from './child.mjs';
import { openLogFile } from './log-file.mjs';
import { Refusal, Stopped } from './refusal.mjs';

/** The size limit of a program's standard output. */
const MAX_ANSWER_BYTES = 1_000_000;
/** Enough for a message with its stack. */
const SHOWN_LINES = 12;
const LONGEST_LINE = 400;

export class Tasks {
  #logs;
  #stopped = false;
  #running = new Set();

  constructor(logs) {
    this.#logs = logs;
  }

  /**
   * Runs a program to its end. With `answers` it resolves to the standard output and does not log it, because it may
   * hold secrets. Throws a Refusal with the last lines of output when the program fails.
   * @param {{ name: string, command?: string, args: string[], cwd: string, env: Record<string, string>, answers?: boolean }} task
   */
  async run({ name, answers = false, ...program }) {
    if (this.#stopped) throw new Stopped();
    const log = openLogFile(this.logFile(name));
    let answer = '';
    const keep = (line) => {
      if (answer.length < MAX_ANSWER_BYTES) answer += `${line}\n`;
      return 'kept';
    };
    const child = startChild({ ...program, log, ...(answers ? { lines: keep } : {}) });
    this.#running.add(child);
    const how = await child.ended;
    this.#running.delete(child);
    if (this.#stopped) throw new Stopped();
    if (how !== 'code 0') throw new Refusal(`${name} ended with ${how}. ${endOf(log)}`);
    return answer;
  }

  logFile(name) {
    return path.join(this.#logs, `${name}.log`);
  }

  async stop() {
    this.#stopped = true;
    await Promise.all([...this.#running].map((child) => child.stop()));
  }
}

/** The end of a program's output, and where the rest is. */
export function endOf(log) {
  const lines = log.tail().trim().split('\n').slice(-SHOWN_LINES);
  return `The end of ${log.file}:\n${lines.map((line) => `  ${line.slice(0, LONGEST_LINE)}`).join('\n')}`;
}
