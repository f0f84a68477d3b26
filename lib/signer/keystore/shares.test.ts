import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { mnemonicToEntropy } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { readSignerSettings } from '@/lib/signer/settings';
import { createKeystore, openKeystore } from './keystore';
import { restoreFromShares, shares, sharesOf, entropyOfShares } from './shares';
import { shareOfWords, wordsOfShare } from './share-words';
import type { Terminal } from './terminal';

const passphrase = 'a passphrase that is hard to guess';
const second = 'another passphrase entirely';
const SPLIT = ['--threshold', '2', '--of', '3'];

let directory: string;
let file: string;
let mnemonic: string;
/** The printed shares of one wallet, split twice. Opening a keystore is slow on purpose, so they are made once. */
let first: string;
let other: string;
let ofAnotherSet: string;
let three: string[];
let count = 0;
beforeAll(async () => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'stabletill-shares-'));
  file = path.join(directory, 'keystore.json');
  await createKeystore({ file, passphrase, entropy: randomBytes(32) });
  mnemonic = await openKeystore({ file, passphrase, allowPublic: false });
  three = await printedShares();
  [first, other] = [three[0]!, three[1]!];
  ofAnotherSet = (await printedShares())[1]!;
});
afterAll(() => fs.rmSync(directory, { recursive: true, force: true }));
beforeEach(() => {
  file = path.join(directory, 'keystore.json');
});

/** The commands now act on a keystore that does not exist. */
function onAnotherMachine(): void {
  file = path.join(directory, `${count++}`, 'keystore.json');
}

/** A terminal that types these answers and collects the output. */
function person(typed: string[], isTerminal = true) {
  const printed: string[] = [];
  const terminal: Terminal = {
    isTerminal,
    prompt: async () => typed.shift() ?? '',
    print: (text) => void printed.push(text),
  };
  return { terminal, printed, typed };
}

const settings = () => readSignerSettings({ KEYSTORE_FILE: file, KEYSTORE_PASSPHRASE: passphrase });

/** The printed shares, each as its words. */
async function printedShares(arguments_ = SPLIT): Promise<string[]> {
  const { terminal, printed } = person([passphrase]);
  await shares(settings(), arguments_, terminal);
  const found: string[][] = [];
  for (const line of printed) {
    if (/Share \d+ of \d+/.test(line)) found.push([]);
    const word = /^ ?\d+ {2}([a-z]+)$/.exec(line)?.[1];
    if (word) found.at(-1)!.push(word);
  }
  return found.map((words) => words.join(' '));
}

const entropyOf = (words: readonly string[]) => entropyOfShares(words.map((one) => shareOfWords(one)!));

/** All choices of `size` of these. */
function choices<T>(all: readonly T[], size: number): T[][] {
  if (size === 0) return [[]];
  return all.flatMap((one, at) => choices(all.slice(at + 1), size - 1).map((others) => [one, ...others]));
}

test('any two of three printed shares restore the same wallet under another passphrase', async () => {
  expect(three).toHaveLength(3);
  for (const pair of choices(three, 2)) {
    onAnotherMachine();
    await restoreFromShares(settings(), person([...pair.toReversed(), second, second]).terminal);
    expect(await openKeystore({ file, passphrase: second, allowPublic: false })).toBe(mnemonic);
  }
});

test('any threshold of shares restores the entropy of 12 to 24 words, and one share fewer does not', async () => {
  for (const [bytes, threshold, of] of [
    [16, 3, 5],
    [24, 4, 4],
    [32, 2, 16],
  ] as const) {
    const entropy = randomBytes(bytes);
    const made = (await sharesOf(entropy, { threshold, of })).map((words) => words.join(' '));
    for (const some of choices(made, threshold).slice(0, 40)) expect(await entropyOf(some)).toEqual(entropy);
    if (threshold === 2) continue;
    for (const some of choices(made, threshold - 1))
      await expect(entropyOf(some)).rejects.toMatchObject({ fault: 'mnemonic' });
  }
});

test('one share of two is not enough: the restore asks for the second and creates nothing without it', async () => {
  onAnotherMachine();
  await expect(restoreFromShares(settings(), person([first]).terminal)).rejects.toThrow(/not the words of a share/);
  expect(fs.existsSync(file)).toBe(false);
});

test('a share with a wrong, missing or exchanged word is refused at once and no word is repeated', async () => {
  const words = first.split(' ');
  const at = words.findIndex((word, place) => place > 0 && word !== words[place - 1]);
  const exchanged = words.with(at, words[at - 1]!).with(at - 1, words[at]!);
  const replaced = words.with(5, wordlist[(wordlist.indexOf(words[5]!) + 1) % 2048]!);
  for (const altered of [
    exchanged,
    replaced,
    words.slice(1),
    words.slice(0, -1),
    words.with(3, 'zzzz'),
    [...words, 'abandon'],
  ]) {
    onAnotherMachine();
    const { terminal, printed, typed } = person([altered.join(' '), other, second, second]);
    const restored = restoreFromShares(settings(), terminal);
    await expect(restored).rejects.toThrow('These are not the words of a share: a word or their order is wrong');
    await expect(restored).rejects.not.toThrow(/zzzz|abandon/);
    expect(typed).toHaveLength(3);
    expect(printed).toEqual([]);
    expect(fs.existsSync(file)).toBe(false);
  }
});

test('a share that was altered with a right checksum is refused after the last share', async () => {
  const share = shareOfWords(first)!;
  const part = Uint8Array.from(share.part);
  part[7]! ^= 1;
  const forged = wordsOfShare({ ...share, part }).join(' ');
  onAnotherMachine();
  const restored = restoreFromShares(settings(), person([forged, other, second, second]).terminal);
  await expect(restored).rejects.toThrow('These shares do not make a wallet: one of them was altered.');
  expect(fs.existsSync(file)).toBe(false);
});

test('shares of two sets and the same share twice are refused', async () => {
  onAnotherMachine();
  const tried = (typed: string[]) => restoreFromShares(settings(), person(typed).terminal);
  await expect(tried([first, ofAnotherSet])).rejects.toThrow('This share belongs to another set');
  await expect(tried([other, other])).rejects.toThrow('This share was typed before.');
  expect(fs.existsSync(file)).toBe(false);
});

test('a restore replaces no keystore', async () => {
  const restored = restoreFromShares(settings(), person([first, other, second, second]).terminal);
  await expect(restored).rejects.toMatchObject({ fault: 'exists' });
  expect(await openKeystore({ file, passphrase, allowPublic: false })).toBe(mnemonic);
});

test('neither command works without a terminal or asks for anything, and the passphrase of the environment is not enough', async () => {
  const { terminal, printed } = person([], false);
  terminal.prompt = () => Promise.reject(new Error('asked'));
  await expect(shares(settings(), SPLIT, terminal)).rejects.toThrow(/needs a terminal/);
  await expect(restoreFromShares(settings(), terminal)).rejects.toThrow(/needs a terminal/);
  const typing = person(['wrong passphrase']);
  await expect(shares(settings(), SPLIT, typing.terminal)).rejects.toMatchObject({ fault: 'passphrase' });
  expect([...printed, ...typing.printed]).toEqual([]);
});

test('thresholds that protect nothing or cannot be reached are refused before the passphrase is asked for', async () => {
  const wrong = ['1 3', '4 3', '2 17', '0 0', '2 x', '-2 3'].map((pair) => pair.split(' '));
  for (const [threshold, of] of wrong) {
    const { terminal } = person([]);
    terminal.prompt = () => Promise.reject(new Error('asked'));
    await expect(shares(settings(), ['--threshold', threshold!, '--of', of!], terminal)).rejects.toThrow(
      /The command is/,
    );
  }
  await expect(shares(settings(), [], person([]).terminal)).rejects.toThrow(/The command is/);
});

test('the shares of a wallet contain neither its words nor its entropy', async () => {
  const entropy = Buffer.from(mnemonicToEntropy(mnemonic, wordlist));
  for (const share of three)
    expect(Buffer.from(shareOfWords(share)!.part).includes(entropy.subarray(0, 4))).toBe(false);
});
