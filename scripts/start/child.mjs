// A child process that writes to a log file: a one-shot program, or a service that runs until it is stopped. Each leads
// its own process group. So Ctrl-C reaches the supervisor alone, which stops its children in order. No grandchild
// outlives its parent.

import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';

/** Web serves on for DRAIN_SECONDS, at most a minute, and then finishes its requests; the worker finishes its payments within a minute. */
const STOP_LIMIT_MS = 80_000;
const READY_LIMIT_MS = 60_000;
const READY_LINE = '{"ready":true';
/** A ready line holds a few addresses; a longer text without a line end is not one. */
const LONGEST_LINE = 100_000;

/**
 * Starts a process. `ended` resolves to how it ended ("code 1", "SIGKILL"). `lines` gets each output line and returns
 * whether to log it, keep it from the log, or inspect no more (`last`). Standard input stays open while we run. `answer` responds
 * to the messages of a Node program.
 * @param {{ command?: string, args: string[], cwd: string, env: Record<string, string>, log: { write(chunk: unknown): void }, lines?: (line: string) => 'log' | 'kept' | 'last', answer?: (message: any) => Promise<object> }} options
 */
export function startChild({ command = process.execPath, args, cwd, env, log, lines, answer }) {
  const stdio = ['pipe', 'pipe', 'pipe', ...(answer ? ['ipc'] : [])];
  const child = spawn(command, args, { cwd, env, detached: true, stdio });
  if (answer) child.on('message', async (message) => child.send(await answer(message), () => {}));
  child.stdin.on('error', () => {}); // It exited first; `ended` reports it.
  child.stderr.on('data', log.write);
  if (lines) readLines(child.stdout, lines, log);
  else child.stdout.on('data', log.write);
  const exited = new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `code ${code}`));
    child.once('error', (error) => resolve(error.message));
  });
  const ended = exited.then((how) => {
    signalGroup(child, 'SIGKILL');
    return how;
  });

  async function stop({ limitMs = STOP_LIMIT_MS } = {}) {
    child.kill('SIGTERM');
    const limit = new AbortController();
    const late = sleep(limitMs, 'late', { signal: limit.signal, ref: false }).catch(() => {});
    if ((await Promise.race([ended, late])) === 'late') signalGroup(child, 'SIGKILL');
    await ended;
    limit.abort();
  }

  return { pid: child.pid, ended, stop };
}

/** Starts a program that prints a ready line when it is usable; `ready` resolves to the line's content. */
export function startServer(options) {
  let ready = (_line) => {};
  const said = new Promise((resolve) => (ready = resolve));
  const child = startChild({
    ...options,
    lines(line) {
      if (!line.startsWith(READY_LINE)) return 'log';
      ready(JSON.parse(line));
      return 'last';
    },
  });
  return { ...child, ready: withinLimit(said) };
}

/** Starts the web process; `ready` resolves when its health check responds. */
export function startWeb({ healthUrl, ...options }) {
  const child = startChild(options);
  const over = new AbortController();
  void child.ended.then(() => over.abort());
  return { ...child, ready: withinLimit(healthy(healthUrl, over.signal)) };
}

async function healthy(url, over) {
  while (!over.aborted) {
    const answer = await fetch(url, { signal: AbortSignal.timeout(2000) }).catch(() => null);
    if (answer?.status === 200) return;
    await sleep(100);
  }
}

function withinLimit(promise) {
  const limit = new AbortController();
  const late = sleep(READY_LIMIT_MS, undefined, { signal: limit.signal, ref: false }).then(() => {
    throw new Error(`was not ready within ${READY_LIMIT_MS / 1000} s`);
  });
  const raced = Promise.race([promise, late]).finally(() => limit.abort());
  // The awaiting caller gets the rejection; other copies would count as unhandled.
  late.catch(() => {});
  raced.catch(() => {});
  return raced;
}

function readLines(stream, lines, log) {
  let rest = '';
  let wanted = true;
  stream.setEncoding('utf8');
  stream.on('data', (chunk) => {
    if (!wanted) return log.write(chunk);
    const parts = (rest + chunk).split('\n');
    rest = parts.pop();
    for (const [index, line] of parts.entries()) {
      const what = lines(line);
      if (what === 'log') log.write(`${line}\n`);
      if (what !== 'last') continue;
      wanted = false;
      log.write([...parts.slice(index + 1), rest].join('\n'));
      rest = '';
      return;
    }
    if (rest.length > LONGEST_LINE) {
      log.write(rest);
      rest = '';
    }
  });
  stream.on('end', () => rest && lines(rest) === 'log' && log.write(rest));
}

/** Also reaches processes that the child started and left behind. */
function signalGroup({ pid }, signal) {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH' && error.code !== 'EPERM') throw error;
  }
}
