import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { entropyToMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { backup, restore } from './backup';
import { createKeystore, openKeystore } from './keystore';
import { readSignerSettings } from '@/lib/signer/settings';
import type { Terminal } from './terminal';

const passphrase = 'a passphrase that nobody guesses';

let directory: string;
let file: string;
let count = 0;
beforeAll(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-backup-'));
});
afterAll(() => fs.rmSync(directory, { recursive: true, force: true }));
beforeEach(() => {
  file = path.join(directory, `${count++}`, 'keystore.json');
});

const open = (changes: { passphrase?: string } = {}) =>
  openKeystore({ file, passphrase, allowPublic: false, ...changes });

describe('backup and restore', () => {
  /** A terminal that types these answers and collects the output. */
  const person = (typed: string[], isTerminal = true) => {
    const printed: string[] = [];
    const terminal: Terminal = {
      isTerminal,
      prompt: async () => typed.shift() ?? '',
      print: (text) => void printed.push(text),
    };
    return { terminal, printed };
  };
  const settings = () => readSignerSettings({ KEYSTORE_FILE: file, KEYSTORE_PASSPHRASE: passphrase });

  test('the printed words restore the same wallet under another passphrase', async () => {
    await createKeystore({ file, passphrase, entropy: randomBytes(32) });
    const mnemonic = await open();
    const { terminal, printed } = person([passphrase]);
    await backup(settings(), terminal);
    const words = printed.flatMap((line) => /^ ?\d+ {2}([a-z]+)$/.exec(line)?.[1] ?? []);
    expect(words.join(' ')).toBe(mnemonic);

    file = `${file}.restored`;
    const second = 'another passphrase entirely';
    await restore(settings(), person([`  ${words.join('  ')} `, second, second]).terminal);
    expect(await open({ passphrase: second })).toBe(mnemonic);
  });

  test('a backup does not accept the passphrase from the environment', async () => {
    await createKeystore({ file, passphrase, entropy: randomBytes(32) });
    for (const typed of ['', 'wrong passphrase']) {
      const { terminal, printed } = person([typed]);
      await expect(backup(settings(), terminal)).rejects.toMatchObject({ fault: 'passphrase' });
      expect(printed).toEqual([]);
    }
  });

  test('neither works without a terminal or asks for anything', async () => {
    await createKeystore({ file, passphrase, entropy: randomBytes(32) });
    for (const command of [backup, restore]) {
      const { terminal, printed } = person([], false);
      terminal.prompt = () => Promise.reject(new Error('asked'));
      await expect(command(settings(), terminal)).rejects.toThrow(/needs a terminal/);
      expect(printed).toEqual([]);
    }
  });

  test('a restore with a wrong word, two different passphrases or an existing keystore changes nothing', async () => {
    const words = entropyToMnemonic(randomBytes(32), wordlist);
    const wrongWords = words.replace(/^\w+/, 'zzzz');
    await expect(restore(settings(), person([wrongWords]).terminal)).rejects.toMatchObject({ fault: 'mnemonic' });
    await expect(restore(settings(), person([wrongWords]).terminal)).rejects.not.toThrow('zzzz');
    await expect(restore(settings(), person([words, passphrase, 'b']).terminal)).rejects.toThrow(/differ/);
    expect(fs.existsSync(file)).toBe(false);
    await createKeystore({ file, passphrase, entropy: randomBytes(32) });
    const mnemonic = await open();
    const again = restore(settings(), person([words, passphrase, passphrase]).terminal);
    await expect(again).rejects.toMatchObject({ fault: 'exists' });
    expect(await open()).toBe(mnemonic);
  });
});
