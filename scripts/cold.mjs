#!/usr/bin/env node
// `npm run cold`: requests transfers from the cold wallet to the refund wallet, and sends those that were signed on a machine without a
// network (`npm run offline`). Runs the built code of lib/cold-storage/returns/cold-command.ts.

import fs from 'node:fs';
import readline from 'node:readline/promises';
import { runCommand } from './start/command.mjs';

async function ask(text) {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return null;
  const terminal = readline.createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await terminal.question(text);
  } finally {
    terminal.close();
  }
}

await runCommand(
  'cold',
  ({ runColdCommand }, words) =>
    runColdCommand(words, {
      environment: process.env,
      print: console.log,
      readFile: (file) => fs.readFileSync(file),
      writeNew: (file, text) => fs.writeFileSync(file, text, { flag: 'wx' }),
      ask,
    }),
  { role: 'worker', mayBeDown: process.argv[2] === undefined || process.argv[2] === '--help' },
);
