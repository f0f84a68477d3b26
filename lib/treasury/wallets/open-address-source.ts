// Opens the source of deposit addresses that the settings name: the signer, or a watch-only wallet instead of it.

import { allFactories, forwarderFactories } from '@/lib/networks/families/tron/sweeping/factories';
import type { Config } from '@/lib/platform/config/config';
import { SignerClient } from '@/lib/signer/client';
import { AddressSourceError, type AddressSource } from './address-source';
import { openWatchOnly } from './watch-only';

/** The configured source. Throws when none is configured or a watch-only setting cannot be used; does not connect yet. */
export function addressSource(config: Config): AddressSource {
  const { WATCH_ONLY_EVM_XPUB, WATCH_ONLY_TRON_XPUB, WATCH_ONLY_SOLANA_KEYS_FILE, SIGNER_SOCKET } = config;
  if (WATCH_ONLY_EVM_XPUB && WATCH_ONLY_TRON_XPUB && WATCH_ONLY_SOLANA_KEYS_FILE) {
    return openWatchOnly({
      evmXpub: WATCH_ONLY_EVM_XPUB,
      tronXpub: WATCH_ONLY_TRON_XPUB,
      solanaKeysFile: WATCH_ONLY_SOLANA_KEYS_FILE,
      factories: allFactories(forwarderFactories(config.TRON_FORWARDERS)),
    });
  }
  if (SIGNER_SOCKET) return new SignerClient(SIGNER_SOCKET);
  throw new AddressSourceError(
    'unusable',
    'No source of deposit addresses: set SIGNER_SOCKET, or the three WATCH_ONLY_ settings (see .env.example)',
  );
}

/** About two megabytes. */
const MOST_REMEMBERED = 10_000;

/**
 * Remembers which deposit addresses a source has confirmed: each confirmation costs a call of the signer, which derives the keys again, and the
 * approval of every payment needs those of all recent transfers of its store. Refusals and failures are not remembered: the source may know an
 * index later.
 */
export function rememberOwned(source: Pick<AddressSource, 'owns'>): Pick<AddressSource, 'owns'> {
  const confirmed = new Set<string>();
  return {
    owns: async (index, addresses) => {
      const known = `${index} ${addresses.join(' ')}`;
      if (confirmed.has(known)) return true;
      if (!(await source.owns(index, addresses))) return false;
      if (confirmed.size >= MOST_REMEMBERED) confirmed.clear();
      confirmed.add(known);
      return true;
    },
  };
}
