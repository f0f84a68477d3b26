// Deposit addresses without any private key on this machine: EVM and TRON from account xpubs. Solana has no public derivation, so its
// addresses come from a file of public keys that is made where the seed is; line n holds index n - 1.

import { keysFromBranches, branchFromXpub, type AddressKeys, type Branch } from './derivation';
import { deriveRange } from './derive-range';
import { AddressSourceError, areAllOf, type AddressSource } from './address-source';
import { readSolanaKeys } from './solana-keys';

export type WatchOnlySettings = {
  readonly evmXpub: string;
  readonly tronXpub: string;
  readonly solanaKeysFile: string;
  /** The contracts of forwarders on TRON. */
  readonly factories?: readonly string[];
};

/**
 * Opens a watch-only wallet. Throws when an xpub cannot be used. Reads the file once, at the first call; add keys by appending lines and
 * restarting.
 */
export function openWatchOnly({ evmXpub, tronXpub, solanaKeysFile, factories = [] }: WatchOnlySettings): AddressSource {
  const evm = branch('WATCH_ONLY_EVM_XPUB', evmXpub);
  const tron = branch('WATCH_ONLY_TRON_XPUB', tronXpub);
  if (Buffer.compare(evm.publicKey, tron.publicKey) === 0) {
    throw unusable(
      "WATCH_ONLY_EVM_XPUB and WATCH_ONLY_TRON_XPUB are one key: use the accounts m/44'/60'/0' and m/44'/195'/0'",
    );
  }
  let opened: Promise<{ keys: AddressKeys; capacity: number }> | undefined;
  const open = () =>
    (opened ??= openKeys({ evm, tron, solanaKeysFile }).catch((error: unknown) => {
      // The operator may have fixed an unusable list by the next call.
      opened = undefined;
      throw error;
    }));
  return {
    fingerprint: async () => (await open()).keys.fingerprint,
    capacity: async () => (await open()).capacity,
    highestIndex: async () => null,
    owns: async (index, addresses) => {
      const { keys, capacity } = await open();
      if (index >= capacity) throw exhausted(capacity, index);
      return areAllOf(keys.addressesAt(index), addresses, factories);
    },
    addresses: async (from, count) => {
      const { keys, capacity } = await open();
      if (from + count > capacity) throw exhausted(capacity, from + count - 1);
      return { fingerprint: keys.fingerprint, addresses: await deriveRange(keys, { from, count }) };
    },
  };
}

async function openKeys(parts: { evm: Branch; tron: Branch; solanaKeysFile: string }) {
  const solana = await readSolanaKeys(parts.solanaKeysFile);
  const solanaAt = (index: number): string => solana[index] as string;
  return { keys: keysFromBranches({ evm: parts.evm, tron: parts.tron, solanaAt }), capacity: solana.length };
}

function branch(setting: string, xpub: string): Branch {
  try {
    return branchFromXpub(xpub);
  } catch (error) {
    throw unusable(`${setting}: ${(error as Error).message}`);
  }
}

const exhausted = (capacity: number, index: number): AddressSourceError =>
  new AddressSourceError(
    'exhausted',
    `WATCH_ONLY_SOLANA_KEYS_FILE has keys for ${capacity} indexes only: the operator has to append the keys up to index ${index} and restart`,
  );

const unusable = (message: string): AddressSourceError => new AddressSourceError('unusable', message);
