// The signer process: the only one that opens the keystore. It makes the keystore at its first start, listens on one Unix
// socket, speaks to no network, and loads neither the database nor any chain's SDK (hardening 2.5). `backup` and `restore`
// as its argument handle the operator's backup words instead.

import { randomBytes } from 'node:crypto';
import { mnemonicToSeed } from '@scure/bip39';
import { openLog, type Log } from '@/lib/log';
import { keysFromSeed, type AddressKeys } from '@/lib/wallet/derivation';
import { backup, restore } from './backup';
import { callsOn } from './calls';
import { createKeystore, KeystoreError, openKeystore } from './keystore';
import { serveCalls } from './server';
import { signerSettings, type SignerSettings } from './settings';
import { systemTerminal } from './terminal';

/** 24 words. */
const ENTROPY_BYTES = 32;

// Whatever this process creates is for its own user only.
process.umask(0o077);

try {
  await command(process.argv.slice(2), signerSettings());
  process.exit(0);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(1);
}

function command([name, ...rest]: string[], settings: SignerSettings): Promise<void> {
  const terminal = systemTerminal(process.stdin, process.stdout);
  if (rest.length === 0 && name === undefined) return run(settings);
  if (rest.length === 0 && name === 'backup') return backup(settings, terminal);
  if (rest.length === 0 && name === 'restore') return restore(settings, terminal);
  throw new Error('The signer knows no argument but "backup" or "restore".');
}

/** Serves until it is told to stop. */
async function run(settings: SignerSettings): Promise<void> {
  const stopped = toldToStop(settings.STOP_WITH_PARENT);
  if (!settings.SIGNER_SOCKET) throw new Error('SIGNER_SOCKET is needed: the path of the socket to listen on.');
  const log = openLog('signer', settings.LOG_LEVEL);
  const keys = await openKeys(settings, log);
  const server = await serveCalls(settings.SIGNER_SOCKET, callsOn(keys), log);
  process.stdout.write('{"ready":true}\n');
  log.info({ fingerprint: keys.fingerprint }, 'the signer listens');
  await stopped;
  await server.close();
}

async function openKeys(settings: SignerSettings, log: Log): Promise<AddressKeys> {
  const { KEYSTORE_FILE: file, KEYSTORE_PASSPHRASE: passphrase, ALLOW_PUBLIC_MNEMONIC: allowPublic } = settings;
  const open = () => openKeystore({ file, passphrase, allowPublic });
  const mnemonic = await open().catch(async (error: unknown) => {
    if (!(error instanceof KeystoreError && error.fault === 'missing')) throw error;
    await createKeystore({ file, passphrase, entropy: randomBytes(ENTROPY_BYTES) });
    log.info('a keystore was made; keep its backup words: run the signer with the argument "backup" at a terminal');
    return open();
  });
  const seed = await mnemonicToSeed(mnemonic);
  const keys = keysFromSeed(seed);
  seed.fill(0);
  return keys;
}

/** Resolves at SIGTERM, SIGINT or, when asked to watch it, the end of standard input, which the parent's death is. */
function toldToStop(withParent: boolean): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve());
    process.once('SIGINT', () => resolve());
    if (!withParent) return;
    process.stdin.once('end', () => resolve()).once('error', () => resolve());
    process.stdin.resume();
  });
}
