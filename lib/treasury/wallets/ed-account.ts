// An account of Solana: an Ed25519 private key with its address. Only the signer makes one.

import { ed25519 } from '@noble/curves/ed25519.js';
import { solanaAddress } from './derivation';
import type { SigningAccount } from './secp-account';

/** The account of a private key. Once the caller has wiped the key, every signature throws. */
export function edAccount(privateKey: Uint8Array): SigningAccount {
  const publicKey = ed25519.getPublicKey(privateKey);
  return {
    address: solanaAddress(publicKey),
    publicKey,
    sign: (message) => {
      // A wiped Ed25519 key is still a key: its signature would be valid for an account that no one owns.
      if (privateKey.every((byte) => byte === 0)) throw new Error('the keys were wiped');
      return ed25519.sign(message, privateKey);
    },
  };
}
