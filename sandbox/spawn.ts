// The sandbox's process as tests start it: on free ports, with nothing of this process's environment.

import { spawn, type ChildProcess } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { NetworksDescription } from './describe';

export type Ready = { ready: true; origin: string; networks: NetworksDescription };
/** `ready` rejects when the process exits first. It exits at the latest with the process that started it. */
type Spawned = { child: ChildProcess; ready: Promise<Ready>; ended: Promise<number | null> };

/** Starts the sandbox with its data in `directory`. */
export function spawnSandbox(directory: string): Spawned {
  const child = spawn(process.execPath, ['--import', 'tsx', 'sandbox/main.ts'], {
    cwd: path.join(import.meta.dirname, '..'),
    env: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      NODE_ENV: 'test',
      DATA_DIR: directory,
      SANDBOX_PORT: '0',
      STOP_WITH_PARENT: 'on',
      HOME: directory,
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const ready = new Promise<string>((resolve, reject) => {
    lines.once('line', resolve);
    void ended.then((code) => reject(new Error(`the sandbox ended with ${code}`)));
  }).then((line) => JSON.parse(line) as Ready);
  return { child, ready, ended };
}
