#!/usr/bin/env node
// `npm run doctor`: checks an installation with the settings in the environment and prints what to do. What it does is in
// lib/doctor/command.ts, as it was built.

import fs from 'node:fs';
import path from 'node:path';

const BUILT = path.join(import.meta.dirname, '../dist/doctor.mjs');
const MIGRATIONS = path.join(import.meta.dirname, '../prisma/migrations');

process.exitCode = await main();

async function main() {
  if (!fs.existsSync(BUILT)) return refuse('Not built yet: run `npm run build` first.');
  try {
    const { runDoctor } = await import(BUILT);
    const migrations = fs
      .readdirSync(MIGRATIONS)
      .filter((name) => fs.existsSync(path.join(MIGRATIONS, name, 'migration.sql')));
    return await runDoctor(process.argv.slice(2), { environment: process.env, migrations, print: console.log });
  } catch (error) {
    return refuse(error instanceof Error ? error.message : String(error));
  }
}

function refuse(why) {
  console.error(why);
  return 1;
}
