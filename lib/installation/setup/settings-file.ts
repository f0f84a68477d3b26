// The set-up's file in the data directory: its state and its settings, one NAME='value' a line. `npm start` creates it with
// state `open` in a new data directory, and uses its settings once the state is `finished`. It is written atomically and
// readable by its owner only, because addresses of endpoints and mail servers contain passwords.

import { closeSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { isSetupName } from './names';
import type { Settings } from './plan';

export type SetupState = 'open' | 'finished';
export type SetupFile = { readonly state: SetupState; readonly settings: Settings };

/** Null when there is no such file. */
export function readSetupFile(file: string): SetupFile | null {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  const { SETUP, ...settings } = parseEnv(text) as Record<string, string>;
  return { state: SETUP === 'open' ? 'open' : 'finished', settings };
}

/** Replaces the file. Throws for a setting that a set-up must not write, and for a value that would not read back unchanged. */
export function writeSetupFile(file: string, { state, settings }: SetupFile): void {
  const lines = Object.entries(settings).map(([name, value]) => {
    if (!isSetupName(name)) throw new Error(`${name} is not a setting of the set-up.`);
    if (/[\p{Cc}']/u.test(value)) throw new Error(`${name} cannot be written to the settings file.`);
    return `${name}='${value}'`;
  });
  const text = [
    '# Written by the set-up. The environment and .env win over it. Amounts are in cents; .env.example explains each setting.',
    `SETUP=${state}`,
    ...lines,
    '',
  ].join('\n');
  const draft = `${file}.new`;
  const handle = openSync(draft, 'w', 0o600);
  try {
    writeSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(draft, file);
}
