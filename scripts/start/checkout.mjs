// Makes a checkout ready to run: installs its packages and builds its programs, each only when needed. Starts on
// several data directories may share one checkout, so both run under the checkout's lock.

import path from 'node:path';
import { needsBuild, underCheckoutLock } from '../build.mjs';
import { install, isInstalled } from './install.mjs';

/**
 * @param {{ root: string, environment: Record<string, string | undefined>, tasks: import('./tasks.mjs').Tasks, say: (line: string) => void }} given
 */
export async function prepareCheckout({ root, environment, tasks, say }) {
  // npm and the compilers may read the whole environment; the running processes get far less.
  const env = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined));
  if (!isInstalled(root)) {
    say('installing packages, which takes a minute or two');
    await underCheckoutLock(root, async () => {
      if (isInstalled(root)) return;
      const run = (command, args, more) =>
        tasks.run({ name: 'install', command, args, cwd: root, env: { ...env, ...more } });
      await install({ environment, run, say, logFile: tasks.logFile('install') });
    });
  }
  if (!needsBuild(root)) return;
  say('building, which takes half a minute to four minutes');
  await tasks.run({ name: 'build', args: [path.join(root, 'scripts/build.mjs'), '--if-needed'], cwd: root, env });
}
