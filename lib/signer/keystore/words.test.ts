// The words of a new keystore are shown at a terminal only, and count as written down once three of them were typed.

import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { mnemonicToSeedSync } from '@scure/bip39';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { keysFromSeed } from '@/lib/treasury/wallets/derivation';
import { createKeystore, openKeystore } from './keystore';
import { readSignerSettings } from '@/lib/signer/settings';
import type { Terminal } from './terminal';
import { areWordsConfirmed, confirmWords } from './words';

const passphrase = 'a passphrase that nobody guesses';
let directory: string;
let file: string;
let mnemonic: string;
let count = 0;
beforeAll(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-words-'));
});
afterAll(() => fs.rmSync(directory, { recursive: true, force: true }));
beforeEach(async () => {
  file = path.join(directory, `${count++}`, 'keystore.json');
  await createKeystore({ file, passphrase, entropy: randomBytes(32) });
  mnemonic = await openKeystore({ file, passphrase, allowPublic: false });
});

const settings = (over: Record<string, string> = {}) =>
  readSignerSettings({ KEYSTORE_FILE: file, KEYSTORE_PASSPHRASE: passphrase, ...over });
const fingerprint = () => keysFromSeed(mnemonicToSeedSync(mnemonic)).fingerprint;

/** A person who answers each request for a word by `word`, given its position. */
function person(word: (position: number, asked: number) => string, isTerminal = true) {
  const printed: string[] = [];
  const positions: number[] = [];
  const terminal: Terminal = {
    isTerminal,
    prompt: async (text) => {
      const position = Number(/^Word (\d+)/.exec(text)?.[1] ?? 0);
      if (position > 0) positions.push(position);
      return position === 0 ? '' : word(position, positions.length);
    },
    print: (text) => void printed.push(text),
  };
  return { terminal, printed, positions };
}
const wordAt = (position: number): string => mnemonic.split(' ')[position - 1] ?? '';

test('typing three words confirms this wallet and leaves no word on the disk', async () => {
  const { terminal, printed, positions } = person((position) => ` ${wordAt(position).toUpperCase()} `);
  expect(areWordsConfirmed(settings(), fingerprint())).toBe(false);
  await confirmWords(settings(), terminal);
  const shown = printed.flatMap((line) => /^ ?\d+ {2}([a-z]+)$/.exec(line)?.[1] ?? []);
  expect(shown.join(' ')).toBe(mnemonic);
  expect(new Set(positions).size).toBe(3);
  expect(areWordsConfirmed(settings(), fingerprint())).toBe(true);
  expect(areWordsConfirmed(settings(), 'f'.repeat(64))).toBe(false);
  expect(fs.statSync(`${file}.words`).mode & 0o777).toBe(0o600);
  expect(fs.readFileSync(`${file}.words`, 'utf8')).toBe(`${fingerprint()}\n`);
});

test('clears the screen before it asks for a word', async () => {
  const { terminal, printed } = person(wordAt);
  let printedBefore = '';
  const prompt = terminal.prompt;
  terminal.prompt = (text) => {
    if (text.startsWith('Word ')) printedBefore ||= printed.at(-1) ?? '';
    return prompt(text);
  };
  await confirmWords(settings(), terminal);
  expect(printedBefore).toContain('\u001B[2J');
});

test('a wrong word shows the words again, and after three tries nothing is confirmed', async () => {
  const slip = person((position, asked) => (asked === 2 ? 'zebra crossing' : wordAt(position)));
  await confirmWords(settings(), slip.terminal);
  expect(areWordsConfirmed(settings(), fingerprint())).toBe(true);
  fs.rmSync(`${file}.words`);
  const stranger = person(() => 'guess');
  await expect(confirmWords(settings(), stranger.terminal)).rejects.toThrow('Nothing was confirmed');
  expect(stranger.positions).toHaveLength(3);
  expect(areWordsConfirmed(settings(), fingerprint())).toBe(false);
});

test('it shows no words after confirmation, and none without a terminal', async () => {
  await confirmWords(settings(), person(wordAt).terminal);
  const again = person(wordAt);
  await confirmWords(settings(), again.terminal);
  expect(again.printed.join('\n')).toMatch(/^These words were confirmed before/);
  expect(again.printed).toHaveLength(1);
  fs.rmSync(`${file}.words`);
  const piped = person(wordAt, false);
  await expect(confirmWords(settings(), piped.terminal)).rejects.toThrow('needs a terminal');
  expect(piped.printed).toEqual([]);
});
