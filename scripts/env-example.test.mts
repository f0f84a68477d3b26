// .env.example explains every setting that there is and no other.

import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { DECIDED, PASSED_ON } from './start/settings.mjs';

const ROOT = path.join(import.meta.dirname, '..');
const read = (file: string) => fs.readFileSync(path.join(ROOT, file), 'utf8');

const explained = [...read('.env.example').matchAll(/^#? ?([A-Z][A-Z0-9_]+)=/gm)].map(([, name = '']) => name);
/** Settings of the signer and of `npm start` itself. */
const OTHERS = ['KEYSTORE_FILE', 'KEYSTORE_PASSPHRASE', 'ALLOW_PUBLIC_MNEMONIC', 'DATA_DIR', 'SANDBOX'];

/** The names in lib/config.ts, those of the endpoints spelled out. */
function settingsOfTheService(): string[] {
  const written = [...read('lib/config.ts').matchAll(/^ {2}([A-Z][A-Z0-9_]+):/gm)].map(([, name = '']) => name);
  const endpoints = PASSED_ON.filter((name) => name.endsWith('_URLS'));
  return [...written, ...endpoints];
}

test('every setting is explained, once, and nothing else is', () => {
  expect(explained.toSorted()).toEqual([...new Set([...settingsOfTheService(), ...OTHERS])].toSorted());
});

test('every setting of the service is passed on or decided by `npm start`', () => {
  expect([...PASSED_ON, ...DECIDED].toSorted()).toEqual(settingsOfTheService().toSorted());
});
