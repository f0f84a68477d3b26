import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { entropyToMnemonic, mnemonicToEntropy } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createKeystore, entropyOf, openKeystore } from './keystore';

const passphrase = 'a passphrase that nobody guesses';
const PUBLIC = [
  'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about',
  'test test test test test test test test test test test junk',
];

let directory: string;
let file: string;
let count = 0;
beforeAll(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-keystore-'));
});
afterAll(() => fs.rmSync(directory, { recursive: true, force: true }));
beforeEach(() => {
  file = path.join(directory, `${count++}`, 'keystore.json');
});

const open = (changes: { passphrase?: string | undefined; allowPublic?: boolean } = {}) =>
  openKeystore({ file, passphrase, allowPublic: false, ...changes });

test('opening a keystore returns the 24 words that it was created from', async () => {
  const entropy = randomBytes(32);
  await createKeystore({ file, passphrase, entropy });
  const mnemonic = await open();
  expect(mnemonic).toBe(entropyToMnemonic(entropy, wordlist));
  expect(mnemonic.split(' ')).toHaveLength(24);
});

test('only its owner can read the file, it contains no plain secret, and no other file is left beside it', async () => {
  const entropy = randomBytes(32);
  await createKeystore({ file, passphrase, entropy });
  expect(fs.statSync(file).mode & 0o777).toBe(0o600);
  expect(fs.readdirSync(path.dirname(file))).toEqual(['keystore.json']);
  const text = fs.readFileSync(file, 'utf8');
  const { kdf, cipher } = JSON.parse(text);
  expect(kdf).toMatchObject({ name: 'scrypt', N: 2 ** 17, r: 8, p: 1 });
  expect(cipher.name).toBe('aes-256-gcm');
  for (const secret of [passphrase, entropy.toString('hex'), entropy.toString('base64')])
    expect(text).not.toContain(secret);
});

test('two keystores with the same words and passphrase share no encrypted bytes', async () => {
  const entropy = randomBytes(32);
  await createKeystore({ file, passphrase, entropy });
  await createKeystore({ file: `${file}2`, passphrase, entropy });
  const [one, other] = [file, `${file}2`].map((name) => JSON.parse(fs.readFileSync(name, 'utf8')));
  expect(one.kdf.salt).not.toBe(other.kdf.salt);
  expect(one.cipher.iv).not.toBe(other.cipher.iv);
  expect(one.cipher.data).not.toBe(other.cipher.data);
});

test('a keystore is never overwritten, even by two parallel starts', async () => {
  const made = await Promise.allSettled(
    [1, 2, 3].map(() => createKeystore({ file, passphrase, entropy: randomBytes(32) })),
  );
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  const before = fs.readFileSync(file);
  await expect(createKeystore({ file, passphrase, entropy: randomBytes(32) })).rejects.toMatchObject({
    fault: 'exists',
  });
  expect(fs.readFileSync(file).equals(before)).toBe(true);
});

test('a wrong passphrase has its own error, which does not repeat it', async () => {
  await createKeystore({ file, passphrase, entropy: randomBytes(32) });
  const wrong = `${passphrase}!`;
  await expect(open({ passphrase: wrong })).rejects.toMatchObject({ fault: 'passphrase' });
  await expect(open({ passphrase: wrong })).rejects.not.toThrow(wrong);
  await expect(open({ passphrase: undefined })).rejects.toThrow(/set KEYSTORE_PASSPHRASE/);
  await expect(open({ passphrase: '' })).rejects.toThrow(/set KEYSTORE_PASSPHRASE/);
});

test('a passphrase opens the keystore however its accents were typed', async () => {
  await createKeystore({ file, passphrase: 'Übergrößenträger', entropy: randomBytes(32) });
  expect((await open({ passphrase: 'Übergrößenträger'.normalize('NFD') })).split(' ')).toHaveLength(24);
});

test('a new keystore needs a passphrase of at least twelve characters', async () => {
  const entropy = randomBytes(32);
  await expect(createKeystore({ file, passphrase: 'eleven char', entropy })).rejects.toThrow(/at least 12/);
  await expect(createKeystore({ file, passphrase: undefined, entropy })).rejects.toMatchObject({ fault: 'passphrase' });
  expect(fs.existsSync(file)).toBe(false);
});

test('no file is "missing", and a file that others can read is refused', async () => {
  await expect(open()).rejects.toMatchObject({ fault: 'missing' });
  await createKeystore({ file, passphrase, entropy: randomBytes(32) });
  for (const mode of [0o644, 0o640, 0o604, 0o602]) {
    fs.chmodSync(file, mode);
    await expect(open()).rejects.toMatchObject({ fault: 'permissions' });
  }
});

test('damage to the file is detected before a passphrase is tried', async () => {
  await createKeystore({ file, passphrase, entropy: randomBytes(32) });
  const whole = fs.readFileSync(file, 'utf8');
  const altered = (change: (parsed: Record<string, Record<string, unknown>>) => void): string => {
    const parsed = JSON.parse(whole);
    change(parsed);
    return JSON.stringify(parsed);
  };
  const other = randomBytes(32).toString('base64');
  const damages = [
    '',
    'null',
    '{}',
    whole.slice(0, -20),
    `${whole}x`,
    ' '.repeat(20_000) + whole,
    altered((parsed) => ((parsed.kdf ?? {}).N = 2)),
    altered((parsed) => ((parsed.kdf ?? {}).N = 2 ** 30)),
    altered((parsed) => ((parsed.kdf ?? {}).salt = other)),
    altered((parsed) => ((parsed.cipher ?? {}).data = other)),
    altered((parsed) => ((parsed.cipher ?? {}).iv = 'AAAA')),
    altered((parsed) => Object.assign(parsed, { version: 2 })),
    altered((parsed) => Object.assign(parsed, { extra: true })),
  ];
  for (const damage of damages) {
    fs.writeFileSync(file, damage);
    await expect(open()).rejects.toMatchObject({ fault: 'damaged' });
  }
  fs.writeFileSync(file, whole);
  expect((await open()).split(' ')).toHaveLength(24);
});

describe.each(PUBLIC)('"%s"', (mnemonic) => {
  test('is refused in a keystore and as a backup unless explicitly allowed', async () => {
    await createKeystore({ file, passphrase, entropy: mnemonicToEntropy(mnemonic, wordlist) });
    await expect(open()).rejects.toMatchObject({ fault: 'mnemonic' });
    expect(await open({ allowPublic: true })).toBe(mnemonic);
    expect(() => entropyOf(mnemonic, false)).toThrow(/everybody holds their keys/);
    expect(entropyOf(` ${mnemonic.toUpperCase()}\n`, true)).toHaveLength(16);
  });
});
