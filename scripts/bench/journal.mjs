// Measures how fast the signer reads a journal of 1,000,000 records with a nearly full open segment; the target is 5 s.
// Writing the records takes two minutes of processor time.

import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const RECORDS = 1_000_000;
const TARGET_SECONDS = 5;

export async function bench([records = String(RECORDS)] = []) {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-journal-'));
  try {
    run('write', directory, records);
    const { seconds, state } = JSON.parse(run('open', directory, records));
    console.log(`${state.records} records, ${state.segments} closed segments, ${Math.round(state.bytes / 1e6)} MB`);
    console.log(`read in ${seconds.toFixed(2)} s (target: ${TARGET_SECONDS} s)`);
    return seconds < TARGET_SECONDS;
  } finally {
    fs.rmSync(directory, { recursive: true, force: true });
  }
}

function run(...words) {
  const file = path.join(import.meta.dirname, 'journal-start.mts');
  const { status, stdout } = spawnSync(process.execPath, ['--import', 'tsx', file, ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error('the journal could not be written or read');
  return stdout;
}
