// The program stabletill-offline: `npm run build` makes one file of it, dist/stabletill-offline.mjs, which runs alone under Node. It
// imports nothing that opens a socket (offline-program.test.ts).

import fs from 'node:fs';
import readline from 'node:readline/promises';
import { systemClock } from '@/lib/platform/clock';
import { runOffline } from './command';

async function ask(text: string): Promise<string | null> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return null;
  const terminal = readline.createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await terminal.question(text);
  } finally {
    terminal.close();
  }
}

process.exitCode = await runOffline(process.argv.slice(2), {
  readFile: (file) => fs.readFileSync(file),
  // Also a link is refused, so that no other file is overwritten.
  writeNew: (file, text) => fs.writeFileSync(file, text, { flag: 'wx', mode: 0o644 }),
  modeOf: (file) => fs.statSync(file).mode,
  now: () => systemClock.now(),
  print: console.log,
  ask,
});
