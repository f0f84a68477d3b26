// The operator's backup in shares: `shares` splits the wallet so that any threshold of its shares restores it and fewer
// reveal nothing (Shamir's secret sharing, by an audited library), and `restore --shares` creates a keystore from them. Both
// need a person at a terminal, so that shares never pass through a pipe, a file or a log.

import { createHash, randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { entropyToMnemonic, mnemonicToEntropy } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { combine, split } from 'shamir-secret-sharing';
import type { SignerSettings } from '@/lib/signer/settings';
import { createRestored } from './backup';
import { entropyOf, KeystoreError, openKeystore } from './keystore';
import { SHARE_SET_BYTES, shareOfWords, wordsOfShare, type Share } from './share-words';
import { CLEAR, requireTerminal, type Terminal } from './terminal';

/** More people than this do not come together, and each more paper is another one to lose. */
const MOST_SHARES = 16;
/** Of the wallet's entropy, inside the secret that is split: the library returns a wrong secret for a wrong share. */
const DIGEST_BYTES = 4;

const USAGE = `The command is "shares --threshold N --of M", with 2 ≤ N ≤ M ≤ ${MOST_SHARES}.`;

/** Shows one share after another, each on a cleared screen. Always asks for the passphrase. */
export async function shares(settings: SignerSettings, words: readonly string[], terminal: Terminal): Promise<void> {
  const { threshold, of } = numbersOf(words);
  requireTerminal(terminal);
  const mnemonic = await openKeystore({
    file: settings.KEYSTORE_FILE,
    passphrase: await terminal.prompt('Passphrase of the keystore: '),
    allowPublic: settings.ALLOW_PUBLIC_MNEMONIC,
  });
  const made = await sharesOf(mnemonicToEntropy(mnemonic, wordlist), { threshold, of });
  terminal.print(
    `Any ${threshold} of these ${of} shares together are the money; fewer reveal nothing. Give each to another person or place.`,
  );
  for (const [index, share] of made.entries()) {
    terminal.print(
      `\nShare ${index + 1} of ${of}. Write its words on paper, in this order, with “any ${threshold} of ${of}”:\n`,
    );
    for (const [place, word] of share.entries()) terminal.print(`${String(place + 1).padStart(2)}  ${word}`);
    await terminal.prompt('\nPress Enter when you have written it down. The screen is cleared then. ');
    terminal.print(CLEAR);
  }
  terminal.print(
    'Try them before you rely on them: restore --shares with another KEYSTORE_FILE, and compare "backup".',
  );
}

/** Creates a keystore from typed shares and a new passphrase. Refuses when one exists already. */
export async function restoreFromShares(settings: SignerSettings, terminal: Terminal): Promise<void> {
  requireTerminal(terminal);
  const next = async (typed: readonly Share[]): Promise<Share> =>
    accepted(await terminal.prompt(`Words of a share (${typed.length + 1}): `), typed);
  const first = await next([]);
  const typed = [first];
  while (typed.length < first.threshold) typed.push(await next(typed));
  const entropy = await entropyOfShares(typed);
  // Refuses the wallets that are printed in public documentation.
  entropyOf(entropyToMnemonic(entropy, wordlist), settings.ALLOW_PUBLIC_MNEMONIC);
  await createRestored(settings, terminal, entropy);
}

/** The words of each share. */
export async function sharesOf(entropy: Uint8Array, { threshold, of }: Numbers): Promise<string[][]> {
  const set = randomBytes(SHARE_SET_BYTES);
  // The library takes no Buffer.
  const secret = Uint8Array.from([...entropy, ...digestOf(entropy)]);
  try {
    const parts = await split(secret, of, threshold);
    return parts.map((part) => wordsOfShare({ set, threshold, part }));
  } finally {
    secret.fill(0);
  }
}

/** Throws `mnemonic` unless the shares together are a wallet. */
export async function entropyOfShares(given: readonly Share[]): Promise<Uint8Array> {
  const secret = Buffer.from(await combine(given.map(({ part }) => Uint8Array.from(part))));
  const [entropy, digest] = [secret.subarray(0, -DIGEST_BYTES), secret.subarray(-DIGEST_BYTES)];
  if (digestOf(entropy).equals(digest)) return entropy;
  throw refused(
    'These shares do not make a wallet: one of them was altered. Try again with another share in its place.',
  );
}

/** The share in these words. Throws `mnemonic` for a wrong word, a share of another set, or the same share again. */
function accepted(words: string, before: readonly Share[]): Share {
  const share = shareOfWords(words);
  // The words are not repeated.
  if (!share) throw refused('These are not the words of a share: a word or their order is wrong, or one is missing.');
  const [first] = before;
  if (first && !(Buffer.from(first.set).equals(share.set) && first.threshold === share.threshold))
    throw refused('This share belongs to another set than the first one. Shares of two sets do not go together.');
  if (before.some(({ part }) => Buffer.from(part).equals(share.part)))
    throw refused('This share was typed before. Each of them counts once.');
  return share;
}

type Numbers = { readonly threshold: number; readonly of: number };

function numbersOf(words: readonly string[]): Numbers {
  const text = { type: 'string' } as const;
  let given: { threshold?: string | undefined; of?: string | undefined };
  try {
    given = parseArgs({ args: [...words], options: { threshold: text, of: text } }).values;
  } catch {
    throw new Error(USAGE);
  }
  const [threshold, of] = [given.threshold, given.of].map((value) =>
    /^\d{1,2}$/.test(value ?? '') ? Number(value) : 0,
  );
  if (!threshold || !of || threshold < 2 || threshold > of || of > MOST_SHARES) throw new Error(USAGE);
  return { threshold, of };
}

const digestOf = (entropy: Uint8Array): Buffer =>
  createHash('sha256').update(entropy).digest().subarray(0, DIGEST_BYTES);

const refused = (message: string): KeystoreError => new KeystoreError('mnemonic', `${message} Nothing was done.`);
