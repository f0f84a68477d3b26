// `npm run drill -- NAME`: runs a drill, which breaks a real installation on purpose and judges what is left of it.
// Each is a module in scripts/drill/ that exports `summary` and `drill(args)`; `drill` resolves to whether every
// guarantee held. `all` runs one after the other. Results are recorded in docs/drills.md.

import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const FOLDER = path.join(import.meta.dirname, 'drill');
const names = fs
  .readdirSync(FOLDER)
  .filter((name) => name.endsWith('.mjs'))
  .map((name) => path.basename(name, '.mjs'));
const load = (name) => import(pathToFileURL(path.join(FOLDER, `${name}.mjs`)).href);

const [asked = 'help', ...args] = process.argv.slice(2);
if (asked === 'help' || asked === '--help') {
  console.log('npm run drill -- NAME [options]   or: npm run drill -- all\n');
  for (const name of names) console.log(`  ${name.padEnd(12)}${(await load(name)).summary}`);
} else if (asked !== 'all' && !names.includes(asked)) {
  console.error(`There is no drill "${asked}". Drills: ${names.join(', ')}, all.`);
  process.exit(2);
} else {
  let isBroken = false;
  for (const name of asked === 'all' ? names : [asked]) {
    if (asked === 'all') console.log(`\n== ${name} ==`);
    if (!(await (await load(name)).drill(asked === 'all' ? [] : args))) isBroken = true;
  }
  process.exit(isBroken ? 1 : 0);
}
