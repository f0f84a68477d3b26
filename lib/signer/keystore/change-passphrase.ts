// The `passphrase` command: puts the keystore under a new passphrase. The new file is written beside the old one and opened before it takes
// the old one's place, so a crash at any moment leaves a whole keystore.

import { randomBytes } from 'node:crypto';
import { readFile, rename, unlink } from 'node:fs/promises';
import path from 'node:path';
import { syncDirectory } from '@/lib/signer/files/durable-file';
import type { SignerSettings } from '@/lib/signer/settings';
import { isListening } from '@/lib/signer/transport/socket-file';
import { readEndpoint } from '@/lib/signer/transport/endpoint';
import { createKeystore, entropyOf, openKeystore } from './keystore';
import { requireTerminal, type Terminal } from './terminal';

/**
 * `words`: none, or `--new` and a file with the new passphrase. Passphrases that no setting and no file has are typed at the terminal. Throws
 * while a signer listens, with a wrong passphrase, and with a short new one; then nothing was done.
 */
export async function changePassphrase(
  settings: SignerSettings,
  words: readonly string[],
  terminal: Terminal,
): Promise<void> {
  const newFile = newPassphraseFile(words);
  await refuseWhileRunning(settings);
  const { KEYSTORE_FILE: file, ALLOW_PUBLIC_MNEMONIC: allowPublic } = settings;
  const former = settings.KEYSTORE_PASSPHRASE ?? (await typed(terminal, 'Present passphrase of the keystore: '));
  const mnemonic = await openKeystore({ file, passphrase: former, allowPublic });
  const passphrase = newFile === null ? await typedTwice(terminal) : (await readFile(newFile, 'utf8')).trim();
  if (passphrase === former) throw new Error('The new passphrase is the present one. Nothing was done.');
  await replaceKeystore({ file, passphrase, mnemonic, allowPublic });
  terminal.print(
    'The keystore is under the new passphrase. Put it into KEYSTORE_PASSPHRASE, and start the signer. Copies of the former file still open ' +
      'with the former passphrase: delete them.',
  );
}

function newPassphraseFile(words: readonly string[]): string | null {
  const [option, file, ...more] = words;
  if (option === undefined) return null;
  if (option !== '--new' || file === undefined || more.length > 0)
    throw new Error('passphrase takes nothing, or --new and a file with the new passphrase.');
  return file;
}

/** A running signer has read its keystore already. But it would not start again until KEYSTORE_PASSPHRASE is changed too, which would surprise the operator. */
async function refuseWhileRunning({ SIGNER_SOCKET }: SignerSettings): Promise<void> {
  if (!SIGNER_SOCKET) throw new Error('SIGNER_SOCKET is needed: it shows whether a signer is running.');
  const endpoint = readEndpoint(SIGNER_SOCKET);
  if (await isListening(endpoint.kind === 'socket' ? endpoint : { host: endpoint.host, port: endpoint.port }))
    throw new Error('A signer is running on SIGNER_SOCKET: stop it first. Nothing was done.');
}

async function typed(terminal: Terminal, question: string): Promise<string> {
  requireTerminal(terminal);
  return terminal.prompt(question);
}

async function typedTwice(terminal: Terminal): Promise<string> {
  const passphrase = await typed(terminal, 'New passphrase: ');
  if (passphrase !== (await terminal.prompt('The same passphrase again: ')))
    throw new Error('The two passphrases differ. Nothing was done.');
  return passphrase;
}

type Replacement = {
  readonly file: string;
  readonly passphrase: string;
  readonly mnemonic: string;
  readonly allowPublic: boolean;
};

async function replaceKeystore({ file, passphrase, mnemonic, allowPublic }: Replacement): Promise<void> {
  // A name of this run's own: a file that is there already may hold another wallet.
  const draft = `${file}.${randomBytes(6).toString('hex')}.new`;
  const entropy = entropyOf(mnemonic, allowPublic);
  try {
    await createKeystore({ file: draft, passphrase, entropy });
    if ((await openKeystore({ file: draft, passphrase, allowPublic })) !== mnemonic)
      throw new Error('The new file does not hold the same words. The keystore was left as it is.');
    await rename(draft, file);
  } finally {
    entropy.fill(0);
    // After the rename there is none.
    await unlink(draft).catch(() => {});
  }
  syncDirectory(path.dirname(file));
}
