// Bundles the simulator of a checkout into one file. Node starts that in a few seconds, and compiles 760 sources otherwise.

import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/**
 * Scripts stay files of their own: they find what they read beside themselves, and run as programs when they are the first file
 * of a process.
 * @param {string} root
 * @returns {import('esbuild').Plugin}
 */
const externalScripts = (root) => ({
  name: 'external-scripts',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^@\/scripts\// }, ({ path: name }) => ({
      path: pathToFileURL(path.join(root, name.slice('@/'.length))).href,
      external: true,
    })),
});

/** Writes the bundle of the checkout at `root` into it, because it loads its packages from there. Returns its path. */
export async function bundleSimulator(/** @type {string} */ root) {
  const outfile = path.join(root, 'dist/simulation/command.mjs');
  await build({
    absWorkingDir: root,
    entryPoints: ['simulation/command.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    conditions: ['react-server'],
    plugins: [externalScripts(root)],
    logLevel: 'warning',
  });
  return outfile;
}
