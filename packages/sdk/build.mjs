// Builds the package: one module that runs, and its declarations. They are checked without Node's types, so that nothing
// that only Node has can slip in. Usage: node build.mjs [OUTPUT_DIRECTORY]

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { build } from 'esbuild';

const HERE = import.meta.dirname;
/** The file of a relative import, between what stands before and after its name. */
const RELATIVE = /((?:from |import\()["'])\.\/([a-z-]+)(["'])/g;
const OUTPUT = path.resolve(process.argv[2] ?? path.join(HERE, 'dist'));

fs.rmSync(OUTPUT, { recursive: true, force: true });
await build({
  absWorkingDir: HERE,
  entryPoints: ['src/stabletill.ts'],
  outdir: OUTPUT,
  bundle: true,
  // No platform's modules are known to it: an import of one is an error.
  platform: 'neutral',
  format: 'esm',
  target: 'es2022',
  // Lines stay: Node shows the one that throws, which would be the whole program.
  charset: 'utf8',
  logLevel: 'warning',
});
// The command is Node's alone, and finds the client beside it.
await build({
  absWorkingDir: HERE,
  entryPoints: ['src/cli.ts'],
  outdir: OUTPUT,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  logLevel: 'warning',
  banner: { js: '#!/usr/bin/env node' },
  plugins: [
    {
      name: 'the client beside it',
      setup: (bundle) =>
        bundle.onResolve({ filter: /^\.\/stabletill$/ }, () => ({ path: './stabletill.js', external: true })),
    },
  ],
});
fs.chmodSync(path.join(OUTPUT, 'cli.js'), 0o755);
const tsc = path.join(path.dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', OUTPUT], {
  cwd: HERE,
  stdio: ['ignore', 'inherit', 'inherit'],
});
publishDeclarations('stabletill');

/** Keeps the declarations that the entry leads to. Where modules are resolved as Node does it, a file needs its whole name. */
function publishDeclarations(entry) {
  const texts = new Map();
  const keep = (name) => {
    if (texts.has(name)) return;
    const text = fs.readFileSync(path.join(OUTPUT, `${name}.d.ts`), 'utf8');
    texts.set(name, text.replaceAll(RELATIVE, '$1./$2.js$3'));
    for (const [, , next] of text.matchAll(RELATIVE)) keep(next);
  };
  keep(entry);
  for (const file of fs.readdirSync(OUTPUT).filter((one) => one.endsWith('.d.ts'))) fs.rmSync(path.join(OUTPUT, file));
  for (const [name, text] of texts) fs.writeFileSync(path.join(OUTPUT, `${name}.d.ts`), text);
}
