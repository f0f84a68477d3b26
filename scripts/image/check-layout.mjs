#!/usr/bin/env node
// Loads every program of the image and Next's server, and fails when one misses a file. The last step of the image's build: the image has
// only the files that were found to be needed (runtime-files.mjs), and this is the proof that none was overlooked.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '../..');
const MISSING = /ERR_MODULE_NOT_FOUND|MODULE_NOT_FOUND|Cannot find (?:module|package)|ENOENT/;
/** No program does any work without its settings: it loads everything and then refuses to start. */
const NO_SETTINGS = { PATH: process.env.PATH, NODE_ENV: 'production' };

const faults = [];
const programs = fs
  .readdirSync(path.join(ROOT, 'dist'))
  .filter((name) => name.endsWith('.mjs') && !['sandbox.mjs', 'prepare.mjs', 'stabletill-offline.mjs'].includes(name));
for (const name of programs) {
  const ran = spawnSync(process.execPath, [path.join('dist', name)], {
    ...{ cwd: ROOT, env: NO_SETTINGS, encoding: 'utf8', timeout: 60_000, input: '' },
  });
  if (MISSING.test(ran.stdout + ran.stderr)) faults.push(`${name}: ${ran.stderr.trim().slice(0, 500)}`);
}

// Every page, with all that Next's server loads for it.
const require = createRequire(path.join(ROOT, 'dist/pages.mjs'));
try {
  await require('next')({ dev: false, dir: ROOT }).prepare();
} catch (error) {
  faults.push(`Next: ${error.message.slice(0, 500)}`);
}
const pages = fs
  .readdirSync(path.join(ROOT, '.next/server/app'), { recursive: true })
  .map(String)
  .filter((name) => /(?:page|route)\.js$/.test(name));
for (const page of pages) {
  try {
    require(path.join(ROOT, '.next/server/app', page));
  } catch (error) {
    if (MISSING.test(`${error.code} ${error.message}`)) faults.push(`${page}: ${error.message.slice(0, 500)}`);
  }
}
if (faults.length > 0) {
  console.error(`The image misses files:\n  ${faults.join('\n  ')}`);
  process.exit(1);
}
console.log(`${programs.length} programs and ${pages.length} pages find all their files`);
process.exit(0);
