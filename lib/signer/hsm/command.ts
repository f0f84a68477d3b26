// The `hsm` command, at the signer's terminal: makes keys in the HSM that never leave it, imports those of the keystore, and shows the
// addresses. It prints the entries of SIGNER_HSM_KEYS, never overwrites a key, and deletes none.

import { mnemonicToSeed } from '@scure/bip39';
import { HDKey as Slip10Key } from 'micro-key-producer/slip10.js';
import { openKeystore } from '@/lib/signer/keystore/keystore';
import { requireTerminal, type Terminal } from '@/lib/signer/keystore/terminal';
import { hsmPlaceOf, type SignerSettings } from '@/lib/signer/settings';
import { REFUND_PATHS } from '@/lib/treasury/wallets/derivation-refund';
import { SPONSOR_PATHS, TRON_SPONSOR_PATHS } from '@/lib/treasury/wallets/derivation-sweep';
import { SOLANA_SPONSOR_PATHS } from '@/lib/treasury/wallets/derivation-sweep-solana';
import { edAccount } from '@/lib/treasury/wallets/ed-account';
import { bip32Key, secpAccount, type SigningAccount } from '@/lib/treasury/wallets/secp-account';
import { addressOfKey, curveOf } from './accounts';
import { HsmFault } from './faults';
import { Hsm } from './hsm';
import type { HsmSession } from './session';
import { entryOf, nameOfWallet, walletNamed, type HsmKey, type HsmWallet } from './settings';

const USAGE = `The command is "hsm generate WALLET…", "hsm import WALLET…" or "hsm show WALLET…", with wallets such as refund/live/evm,
sponsor/live/tron or spare/test/solana. "generate" makes keys that never leave the HSM. "import" copies the keystore's keys into it.`;

type Made = { readonly settings: SignerSettings; readonly terminal: Terminal };

/** Throws an Error, after which the keys that were printed exist and no other ones. */
export async function hsm(
  settings: SignerSettings,
  [what, ...names]: readonly string[],
  terminal: Terminal,
): Promise<void> {
  const wallets = names.map((name) => walletNamed(name) ?? fail(USAGE));
  if (wallets.length === 0 || new Set(names).size !== names.length) fail(USAGE);
  const made = { settings, terminal };
  if (what === 'generate') return withHsm(made, wallets, generate);
  if (what === 'import') return importKeys(made, wallets);
  if (what === 'show') return withHsm(made, wallets, () => {});
  fail(USAGE);
}

type Make = (session: HsmSession, wallet: HsmWallet, label: string) => void;

function withHsm({ settings, terminal }: Made, wallets: readonly HsmWallet[], make: Make): void {
  const device = new Hsm(hsmPlaceOf(settings), { isWriter: true });
  const { SIGNER_HSM_KEYS: known } = settings;
  try {
    const entries = wallets.map((wallet) =>
      device.use((session) => {
        const label = labelOf(wallet, known);
        make(session, wallet, label);
        const { publicKey } = session.find(label, curveOf(wallet.family));
        const entry = entryOf({ ...wallet, label, address: addressOfKey(wallet.family, publicKey) });
        terminal.print(entry);
        return entry;
      }),
    );
    const names = new Set(wallets.map(nameOfWallet));
    const others = known.filter((key) => !names.has(nameOfWallet(key))).map(entryOf);
    terminal.print(`\nSIGNER_HSM_KEYS=${[...others, ...entries].join(',')}`);
  } finally {
    device.close();
  }
}

/** As the settings name it, or the one that this command gives. */
function labelOf(wallet: HsmWallet, known: readonly HsmKey[]): string {
  const name = nameOfWallet(wallet);
  return known.find((key) => nameOfWallet(key) === name)?.label ?? `stabletill-${name.replaceAll('/', '-')}`;
}

const generate: Make = (session, { family }, label) => {
  needNew(session, label);
  session.generate(label, curveOf(family));
};

/** Asks for the passphrase. The words of the keystore keep leading to these keys, so they stay as valuable as before. */
async function importKeys(made: Made, wallets: readonly HsmWallet[]): Promise<void> {
  const { settings, terminal } = made;
  requireTerminal(terminal);
  const mnemonic = await openKeystore({
    file: settings.KEYSTORE_FILE,
    passphrase: await terminal.prompt('Passphrase of the keystore: '),
    allowPublic: settings.ALLOW_PUBLIC_MNEMONIC,
  });
  const seed = await mnemonicToSeed(mnemonic);
  terminal.print(
    'Anyone who has the words of the keystore has these keys too. Prefer "generate" for a new installation.',
  );
  try {
    withHsm(made, wallets, (session, wallet, label) => {
      needNew(session, label);
      const privateKey = privateKeyOf(seed, wallet);
      try {
        const { publicKey } = accountOf(wallet, privateKey);
        session.import(label, curveOf(wallet.family), { privateKey, publicKey });
      } finally {
        privateKey.fill(0);
      }
    });
  } finally {
    seed.fill(0);
  }
}

function needNew(session: HsmSession, label: string): void {
  if (!session.has(label)) return;
  throw new HsmFault(`The HSM has a key with the label "${label}" already, and it is never overwritten.`);
}

function accountOf({ family }: HsmWallet, privateKey: Uint8Array): SigningAccount {
  if (family === 'solana') return edAccount(privateKey);
  return secpAccount(privateKey, (publicKey) => addressOfKey(family, publicKey));
}

/** The keystore's key of the wallet. The caller wipes it. */
function privateKeyOf(seed: Uint8Array, { role, environment, family }: HsmWallet): Uint8Array {
  const sponsors = { evm: SPONSOR_PATHS, tron: TRON_SPONSOR_PATHS, solana: SOLANA_SPONSOR_PATHS }[family][environment];
  const path = { refund: REFUND_PATHS[environment][family], sponsor: sponsors.first, spare: sponsors.spare }[role];
  return family === 'solana'
    ? Uint8Array.from(Slip10Key.fromMasterSeed(seed).derive(path).privateKey)
    : bip32Key(seed, path);
}

function fail(message: string): never {
  throw new Error(message);
}
