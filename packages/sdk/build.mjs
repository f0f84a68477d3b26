// Builds the package: one module that runs, and its declarations. They are checked without Node's types, so that nothing
// that only Node has can slip in. Usage: node build.mjs [OUTPUT_DIRECTORY]

import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { build } from 'esbuild';

const HERE = import.meta.dirname;
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
  logLevel: 'warning',
});
const tsc = path.join(path.dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');
execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', OUTPUT], {
  cwd: HERE,
  stdio: ['ignore', 'inherit', 'inherit'],
});
// Where modules are resolved as Node does it, a relative import is found by its whole name only.
for (const name of fs.readdirSync(OUTPUT).filter((one) => one.endsWith('.d.ts'))) {
  const file = path.join(OUTPUT, name);
  fs.writeFileSync(
    file,
    fs.readFileSync(file, 'utf8').replaceAll(/(from |import\()(["'])(\.\/[a-z-]+)\2/g, '$1$2$3.js$2'),
  );
}
