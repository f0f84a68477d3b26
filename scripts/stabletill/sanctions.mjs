// `stabletill sanctions`: makes, loads and shows the operator's signed sanctions list. Runs the built code of
// lib/screening/list/command.ts.

import fs from 'node:fs';
import { runProgram, withPool } from '../start/command.mjs';

export const command = {
  name: 'sanctions',
  summary: 'makes, loads and shows the signed sanctions list',
  usage: `stabletill sanctions make OUT.json YYYY-MM-DD LIST.txt…   (a file to sign, from lists with an address a line)
stabletill sanctions load FILE.json                       (checks FILE.json.sig and replaces the list)
stabletill sanctions show`,
  run: (words, { print }) =>
    runProgram('sanctions', ({ runSanctions }) =>
      withPool((pool) =>
        runSanctions(words, {
          pool,
          print,
          readFile: (file) => fs.readFileSync(file),
          writeFile: (file, text) => fs.writeFileSync(file, text),
          key: process.env.SCREENING_LIST_KEY,
          now: () => new Date(),
        }),
      ),
    ),
};
