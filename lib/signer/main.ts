// The signer process, the only process that opens the keystore. It never makes one by itself. It listens on one Unix socket or, on a machine of
// its own, on one address with mutual TLS, opens no connection itself, and loads neither the database nor any chain SDK. Without an argument it
// serves; `command` lists the arguments, which a person runs at a terminal (docs/operate/signer.md).

import fs from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { mnemonicToSeed } from '@scure/bip39';
import { systemClock } from '@/lib/platform/clock';
import { armCrashPoint } from '@/lib/platform/crash-point';
import type { NetworkSpec } from '@/lib/networks/networks';
import { allFactories } from '@/lib/networks/families/tron/sweeping/factories';
import { openLog, type Log } from '@/lib/platform/log';
import { keysFromSeed, type AddressKeys } from '@/lib/treasury/wallets/derivation';
import { refundAccounts, refundAddresses, type RefundAccounts } from '@/lib/treasury/wallets/derivation-refund';
import { sweepKeys, type SweepKeys } from '@/lib/treasury/wallets/derivation-sweep';
import { solanaSweepKeys } from '@/lib/treasury/wallets/derivation-sweep-solana';
import { approvers } from './approvals/command';
import { readApprovers } from './approvals/approvers';
import { backup, restore } from './keystore/backup';
import { BatchSigner } from './batches/batch-signer';
import { callsOn } from './calls';
import { NO_HSM, openHsmAccounts, withHsmRefunds, withHsmSponsors, type HsmAccounts } from './hsm/accounts';
import { hsm } from './hsm/command';
import { HsmFault } from './hsm/faults';
import { Hsm } from './hsm/hsm';
import { nameOfWallet } from './hsm/settings';
import { changePassphrase } from './keystore/change-passphrase';
import { init } from './keystore/init';
import { KeystoreError, openKeystore } from './keystore/keystore';
import { RefundSigner } from './refund-signer';
import { journalKeyOf, SignerJournal } from './journal/signer-journal';
import { serveCalls } from './transport/server';
import { hsmPlaceOf, journalFileOf, policyOf, signerSettings, sweepPolicyOf, type SignerSettings } from './settings';
import { presignAuthorizations } from './sweeps/authorizations-command';
import { withRefundWallet } from './sweeps/policy';
import { SolanaSweeps } from './sweeps/solana/solana-sweeps';
import { SweepSigner } from './sweeps/sweep-signer';
import { printForwarders } from './sweeps/tron/forwarders-command';
import { TronSweeps } from './sweeps/tron/tron-sweeps';
import { restoreFromShares, shares } from './keystore/shares';
import { systemTerminal } from './keystore/terminal';
import { takeOver } from './keystore/take-over';
import { unfreeze } from './keystore/unfreeze';
import { areWordsConfirmed, confirmWords } from './keystore/words';

/** How often a starting signer looks whether its HSM can be used now. The HSM itself is tried less often (`Hsm`). */
const HSM_LOOK_MILLISECONDS = 1000;

// Files that this process creates are readable by its own user only.
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
  if (rest.length === 0 && name === 'init') return init(settings, (line) => terminal.print(line));
  if (rest.length === 0 && name === 'backup') return backup(settings, terminal);
  if (rest.length === 0 && name === 'restore') return restore(settings, terminal);
  if (rest.length === 1 && name === 'restore' && rest[0] === '--shares') return restoreFromShares(settings, terminal);
  if (name === 'shares') return shares(settings, rest, terminal);
  if (rest.length === 0 && name === 'words') return confirmWords(settings, terminal);
  if (name === 'passphrase') return changePassphrase(settings, rest, terminal);
  if (rest.length === 0 && name === 'unfreeze') return unfreeze(settings, terminal);
  if (rest.length === 1 && name === 'take-over') return takeOver(settings, rest[0] ?? '', terminal);
  if (rest.length <= 1 && name === 'approvers') return approvers(settings, rest[0], terminal);
  if (name === 'authorizations') return presignAuthorizations(settings, rest, (line) => terminal.print(line));
  if (name === 'hsm') return hsm(settings, rest, terminal);
  if (name === 'forwarders') return printForwarders(settings, rest, (line) => terminal.print(line));
  const names =
    '"init", "words", "backup", "restore", "shares", "passphrase", "unfreeze", "take-over", "approvers", "authorizations", "forwarders" or "hsm"';
  throw new Error(`The signer takes ${names} as its argument, or none.`);
}

/** Serves until a stop signal arrives. */
async function run(settings: SignerSettings): Promise<void> {
  const stopped = stopSignal(settings.STOP_WITH_PARENT);
  if (!settings.SIGNER_SOCKET) throw new Error('SIGNER_SOCKET is needed: the socket or address to listen on.');
  const log = openLog('signer', settings.LOG_LEVEL);
  refusePublicWallet(settings);
  if (settings.SIGNER_NETWORKS.every(({ chain }) => chain === 'local')) armCrashPoint(settings.CRASH_POINT);
  // Fail at the start rather than at the first large refund.
  if (settings.SIGNER_APPROVERS_FILE) readApprovers(settings.SIGNER_APPROVERS_FILE);
  // A stop signal while the signer waits for the HSM ends it before it has opened anything else.
  const inHsm = await Promise.race([openHsm(settings, log), stopped]);
  if (!inHsm) return;
  const { keys, refunds, batches, sweeps } = await openWallet(settings, inHsm);
  const server = await serveCalls(
    settings.SIGNER_SOCKET,
    callsOn(keys, refunds, {
      sweeps,
      batches,
      hsmTrouble: inHsm.trouble,
      factories: allFactories(settings.SIGNER_TRON_FORWARDERS),
      areWordsConfirmed: () => areWordsConfirmed(settings, keys.fingerprint),
    }),
    log,
  );
  process.stdout.write('{"ready":true}\n');
  const { frozen, reason } = refunds.state();
  log.info({ fingerprint: keys.fingerprint }, 'the signer listens');
  if (frozen) log.warn({ reason }, 'the signer is frozen: it gives addresses and signs nothing');
  await stopped;
  await server.close();
  sweeps?.close();
  refunds.close();
}

/**
 * The backup words of a public wallet are printed in public documentation. Money that reaches it on a real chain is
 * lost.
 */
function refusePublicWallet({ ALLOW_PUBLIC_MNEMONIC, SIGNER_NETWORKS }: SignerSettings): void {
  const real = SIGNER_NETWORKS.filter(({ chain }) => chain === 'mainnet');
  if (!ALLOW_PUBLIC_MNEMONIC || real.length === 0) return;
  const names = real.map(({ network }) => network).join(', ');
  throw new Error(`ALLOW_PUBLIC_MNEMONIC is on together with real networks (${names}). Remove it; it is for tests.`);
}

type Wallet = {
  readonly keys: AddressKeys;
  readonly refunds: RefundSigner;
  readonly batches: BatchSigner;
  /** Null without a treasury wallet. */
  readonly sweeps: SweepSigner | null;
};

async function openWallet(settings: SignerSettings, inHsm: HsmAccounts): Promise<Wallet> {
  const { KEYSTORE_FILE: file, KEYSTORE_PASSPHRASE: passphrase, ALLOW_PUBLIC_MNEMONIC: allowPublic } = settings;
  const mnemonic = await openKeystore({ file, passphrase, allowPublic }).catch((error: unknown) => {
    throw error instanceof KeystoreError && error.fault === 'missing' ? missingKeystore(file) : error;
  });
  const seed = await mnemonicToSeed(mnemonic);
  try {
    const keys = keysFromSeed(seed);
    const ofSeed = refundAccounts(seed);
    const accounts = withHsmRefunds(ofSeed, inHsm);
    const parts = {
      accounts,
      policy: policyOf(settings),
      clock: systemClock,
      journalFile: journalFileOf(settings),
      journalKey: journalKeyOf(seed),
      fingerprint: keys.fingerprint,
      isNewWallet: false,
      machineId: machineIdOf(settings.MACHINE_ID_FILE),
    };
    const journal = new SignerJournal(parts);
    journal.noteWallets({ now: refundAddresses(accounts), ofSeed: refundAddresses(ofSeed) });
    const refunds = new RefundSigner(parts, journal);
    const batches = new BatchSigner(parts, journal);
    const sweeps = sweepSigner(settings, { seed, journal, accounts, inHsm });
    return { keys, refunds, batches, sweeps };
  } finally {
    seed.fill(0);
  }
}

/** A disk that is not mounted looks like a new installation. Only a person can say which of the two it is. */
function missingKeystore(file: string): Error {
  return new Error(
    `There is no keystore at ${file}. If this installation had one, its disk or volume is not mounted: mount it, or restore the keystore ` +
      'from its words (stabletill signer restore). Only for a new installation, make one: stabletill signer init.',
  );
}

/**
 * The accounts whose keys are in the HSM. Waits while one of them cannot be used: an HSM may start after the signer, and a process that ends
 * is started again by its supervisor, which would repeat the login every few seconds.
 */
async function openHsm(settings: SignerSettings, log: Log): Promise<HsmAccounts> {
  const { SIGNER_HSM_KEYS: keys } = settings;
  if (keys.length === 0) return NO_HSM;
  const hsmOfKeys = new Hsm(hsmPlaceOf(settings));
  for (let logged = ''; ; await sleep(HSM_LOOK_MILLISECONDS)) {
    try {
      const accounts = openHsmAccounts(hsmOfKeys, keys);
      log.info({ wallets: keys.map(nameOfWallet) }, 'the keys of these wallets are in the HSM');
      return accounts;
    } catch (error) {
      if (!(error instanceof HsmFault)) throw error;
      if (error.message !== logged)
        log.error({ reason: error.message }, 'the signer waits for its HSM and does not listen yet');
      logged = error.message;
    }
  }
}

/** Deposit keys are in memory only where a treasury wallet is set. */
function sweepSigner(
  settings: SignerSettings,
  {
    seed,
    journal,
    accounts,
    inHsm,
  }: { seed: Uint8Array; journal: SignerJournal; accounts: RefundAccounts; inHsm: HsmAccounts },
): SweepSigner | null {
  const given = sweepPolicyOf(settings);
  if (!given) return null;
  const addressOf = ({ environment, family }: NetworkSpec): string => accounts.of(environment, family).address;
  const policy = { ...given, chains: given.chains.map((chain) => withRefundWallet(chain, addressOf)) };
  const walletsOf = (family: NetworkSpec['family']) => ({
    live: accounts.of('live', family).address,
    test: accounts.of('test', family).address,
  });
  const hasSolana = policy.chains.some(({ spec }) => spec.family === 'solana');
  const keysOf = (family: NetworkSpec['family']): SweepKeys =>
    withHsmSponsors(family === 'solana' ? solanaSweepKeys(seed) : sweepKeys(seed, family), family, inHsm);
  const solana = hasSolana
    ? new SolanaSweeps({ journal, keys: keysOf('solana'), policy, refundWallets: walletsOf('solana') })
    : null;
  const hasTron = policy.chains.some(({ spec }) => spec.family === 'tron');
  const tron = hasTron
    ? new TronSweeps({
        ...{ journal, keys: keysOf('tron'), policy, refundWallets: walletsOf('tron') },
        factories: settings.SIGNER_TRON_FORWARDERS,
      })
    : null;
  return new SweepSigner({ journal, keys: keysOf('evm'), policy, refundWallets: walletsOf('evm'), solana, tron });
}

/** The id of this machine; null when the file does not exist, as in most containers that do not mount it. */
function machineIdOf(file: string): string | null {
  try {
    return fs.readFileSync(file, 'utf8').trim() || null;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}

/**
 * Resolves at SIGTERM or SIGINT and, with `withParent`, at the end of standard input, which ends when the parent dies.
 */
function stopSignal(withParent: boolean): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve());
    process.once('SIGINT', () => resolve());
    if (!withParent) return;
    process.stdin.once('end', () => resolve()).once('error', () => resolve());
    process.stdin.resume();
  });
}
