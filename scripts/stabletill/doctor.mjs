// `stabletill doctor`: checks the installation, also while it is down, and prints what to fix. Runs the built code of
// lib/installation/doctor/command.ts.

import fs from 'node:fs';
import path from 'node:path';
import { runProgram } from '../start/command.mjs';
import { readSetup } from '../start/setup-file.mjs';

const MIGRATIONS = path.join(import.meta.dirname, '../../prisma/migrations');

export const command = {
  name: 'doctor',
  summary: 'checks settings, database, clock, endpoints, signer, mail, address and disk',
  usage: `stabletill doctor
Checks the installation of npm start in the data directory; without one, or with a DATABASE_URL in the environment, the installation
that the environment describes. It changes nothing and prints no secret.`,
  options: { '--json': 'prints the findings as one JSON object' },
  run: (words, { print }) =>
    runProgram(
      'doctor',
      ({ runDoctor }, directory) => {
        const isSetupOpen = directory !== null && readSetup(directory)?.isOpen === true;
        const { env: environment } = process;
        const migrations = namesOfMigrations();
        return runDoctor(words, { environment, migrations, directory: directory ?? '.', isSetupOpen, print });
      },
      { role: 'worker', mayBeDown: true },
    ),
};

/** The migrations of this version. */
const namesOfMigrations = () =>
  fs.readdirSync(MIGRATIONS).filter((name) => fs.existsSync(path.join(MIGRATIONS, name, 'migration.sql')));
