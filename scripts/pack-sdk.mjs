#!/usr/bin/env node
// Packs @stabletill/sdk as one tarball. The build puts it into dist/, from where each installation serves it; a release
// publishes the same file. Usage: node scripts/pack-sdk.mjs FILE.tgz, then `npm publish FILE.tgz --access public`.

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const SDK = path.join(import.meta.dirname, '../packages/sdk');
/** A different name on a registry could belong to a stranger. */
const NAME = '@stabletill/sdk';

/**
 * Builds and packs the package. The same sources give the same bytes. Throws when its name is not ours.
 * @param {string} file the tarball to write
 * @returns {{ name: string, version: string, integrity: string }} the integrity as npm writes it in a lock file
 */
export function packSdk(file) {
  const { scripts: _, ...about } = JSON.parse(fs.readFileSync(path.join(SDK, 'package.json'), 'utf8'));
  if (about.name !== NAME) throw new Error(`packages/sdk/package.json must name ${NAME}, not ${about.name}`);
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-pack-'));
  try {
    const contents = path.join(directory, 'package');
    fs.mkdirSync(contents);
    for (const name of ['README.md', 'LICENSE']) fs.copyFileSync(path.join(SDK, name), path.join(contents, name));
    fs.writeFileSync(path.join(contents, 'package.json'), `${JSON.stringify(about, null, 2)}\n`);
    const run = (program, args, cwd) => execFileSync(program, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
    run(process.execPath, [path.join(SDK, 'build.mjs'), path.join(contents, 'dist')], SDK);
    run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', directory], contents);
    const [packed] = fs.readdirSync(directory).filter((name) => name.endsWith('.tgz'));
    if (packed === undefined) throw new Error('npm pack made no tarball');
    fs.mkdirSync(path.dirname(path.resolve(file)), { recursive: true });
    fs.copyFileSync(path.join(directory, packed), file);
  } finally {
    fs.rmSync(directory, { recursive: true, force: true });
  }
  const integrity = `sha512-${createHash('sha512').update(fs.readFileSync(file)).digest('base64')}`;
  return { name: about.name, version: about.version, integrity };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [file] = process.argv.slice(2);
  if (file === undefined) {
    console.error('Usage: node scripts/pack-sdk.mjs FILE.tgz');
    process.exitCode = 1;
  } else {
    const { name, version, integrity } = packSdk(file);
    console.log(`${name} ${version} ${integrity}\nPublish it with: npm publish ${file} --access public`);
  }
}
