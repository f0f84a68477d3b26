#!/usr/bin/env node
// `npm run doctor`: checks the installation in the data directory, also while it is down, and prints what to fix. Else
// the environment describes the installation. Runs the built code of lib/installation/doctor/command.ts.

import fs from 'node:fs';
import path from 'node:path';
import { runCommand } from './start/command.mjs';
import { readSetup } from './start/setup-file.mjs';

const MIGRATIONS = path.join(import.meta.dirname, '../prisma/migrations');

await runCommand(
  'doctor',
  ({ runDoctor }, words, directory) => {
    const migrations = fs
      .readdirSync(MIGRATIONS)
      .filter((name) => fs.existsSync(path.join(MIGRATIONS, name, 'migration.sql')));
    const isSetupOpen = directory !== null && readSetup(directory)?.isOpen === true;
    const { env: environment } = process;
    return runDoctor(words, { environment, migrations, directory: directory ?? '.', isSetupOpen, print: console.log });
  },
  { role: 'worker', mayBeDown: true },
);
