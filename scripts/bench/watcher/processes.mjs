// The processes of the watcher benchmark: the synthetic nodes and the watcher, bundled like the product's own programs.
// They take one order at a time; a fault in either ends the benchmark.

import { fork } from 'node:child_process';
import path from 'node:path';
import { build } from 'esbuild';

const OUT = path.join(import.meta.dirname, '../../../dist/bench');

/** Bundles a TypeScript file of this folder and returns the path of the bundle. */
export async function bundle(name) {
  const outfile = path.join(OUT, `watcher-${name}.mjs`);
  await build({
    entryPoints: [path.join(import.meta.dirname, `${name}.ts`)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    logLevel: 'warning',
  });
  return outfile;
}

/** Starts the nodes. `set` sets the height from which a chain grows. */
export async function startNodes(zero) {
  const child = fork(await bundle('nodes'), [String(zero)]);
  const { port } = await once(child);
  const set = (order) => ask(child, order);
  return {
    urlOf: (network) => `http://127.0.0.1:${port}/${network}`,
    set,
    stop: () => child.connected && child.disconnect(),
  };
}

/** Starts a watcher of one network on each database; `run` sends it an order for one of them. */
export async function startWatcher(program, { network, url, databaseUrls }) {
  const child = fork(program, [network, url, ...databaseUrls], { execArgv: ['--expose-gc'] });
  await once(child);
  const run = async (order) => {
    const { result, error } = await ask(child, order);
    if (error) throw new Error(`the watcher of ${network}: ${error}`);
    return result;
  };
  return { run, stop: () => child.connected && child.disconnect() };
}

function ask(child, order) {
  const answer = once(child);
  child.send(order);
  return answer;
}

function once(child) {
  return new Promise((resolve, reject) => {
    const ended = (code) => reject(new Error(`a process of the benchmark ended with ${code}`));
    child.once('exit', ended);
    child.once('message', (message) => {
      child.off('exit', ended);
      resolve(message);
    });
  });
}
