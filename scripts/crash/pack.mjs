// The built programs with their packages in one file each. Thousands of starts are then fast, and a build during a run changes nothing.

import path from 'node:path';
import { build } from 'esbuild';

/** Programs that are killed and restarted all the time. */
const KILLED_PROGRAMS = ['worker', 'signer'];

/** Packs those of the checkout at `root` into the directory `outdir`. */
export async function packPrograms(root, outdir) {
  await build({
    absWorkingDir: root,
    entryPoints: KILLED_PROGRAMS.map((name) => ({ in: path.join(root, 'dist', `${name}.mjs`), out: name })),
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['react-server'],
    banner: { js: "import { createRequire as ofNode } from 'node:module'; const require = ofNode(import.meta.url);" },
    // Solana's library finds its files by `__filename`, which a bundle does not have.
    external: ['pg-native', '@solana/web3.js', '@solana/spl-token'],
    logLevel: 'error',
  });
}
