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
