#!/usr/bin/env node
// `npm run doctor`: checks an installation and prints what to do: that of `npm start` in the data directory, also while it is down, else
// the one that the settings in the environment describe. What it does is in lib/installation/doctor/command.ts, as it was built.

import fs from 'node:fs';
import path from 'node:path';
import { runCommand } from './start/command.mjs';

const MIGRATIONS = path.join(import.meta.dirname, '../prisma/migrations');

await runCommand(
  'doctor',
  ({ runDoctor }, words, directory) => {
    const migrations = fs
      .readdirSync(MIGRATIONS)
      .filter((name) => fs.existsSync(path.join(MIGRATIONS, name, 'migration.sql')));
    const deps = { environment: process.env, migrations, directory: directory ?? '.', print: console.log };
    return runDoctor(words, deps);
  },
  { role: 'worker', mayBeDown: true },
);
