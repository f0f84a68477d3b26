// Bundles files that need no other one: the script that shops' pages load, and the program for a machine without a network.

import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '..');

/** Writes stabletill-offline with all that it imports, readable, so that it can be reviewed and its checksum compared. */
export async function bundleOffline(outfile) {
  const esbuild = await import('esbuild');
  return esbuild.build({
    absWorkingDir: ROOT,
    entryPoints: ['lib/cold-storage/offline/main.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    metafile: true,
    legalComments: 'inline',
    logLevel: 'warning',
  });
}

/** Writes the script that shops load, minified, for browsers of recent years. */
export async function bundleEmbedScript(outfile) {
  const esbuild = await import('esbuild');
  await esbuild.build({
    absWorkingDir: ROOT,
    entryPoints: ['components/embed/embed.ts'],
    outfile,
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'iife',
    target: 'es2020',
    legalComments: 'none',
    logLevel: 'warning',
  });
}
