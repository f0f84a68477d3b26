// An account of EVM or TRON: a secp256k1 private key with its address. Only the signer makes one.

import { secp256k1 } from '@noble/curves/secp256k1.js';
import { HDKey } from '@scure/bip32';

/** `address` has the format of deposit addresses; `publicKey` is 65 bytes on EVM and TRON, 32 on Solana. */
export type SigningAccount = {
  readonly address: string;
  readonly publicKey: Uint8Array;
  /** EVM and TRON: r, s and recovery (0 or 1) over a digest, 65 bytes. Solana: the signature of a message, 64 bytes. */
  readonly sign: (digestOrMessage: Uint8Array) => Uint8Array;
};

/** The account of a private key. Once the caller has wiped the key, every signature throws. */
export function secpAccount(privateKey: Uint8Array, addressOf: (publicKey: Uint8Array) => string): SigningAccount {
  const publicKey = secp256k1.getPublicKey(privateKey, false);
  return {
    address: addressOf(publicKey),
    publicKey,
    sign: (digest) => {
      // Deterministic (RFC 6979), with the low s that the networks require: the same digest gives the same bytes.
      const signed = secp256k1.sign(digest, privateKey, { prehash: false, lowS: true, format: 'recovered' });
      return Uint8Array.of(...signed.subarray(1), signed[0] as number);
    },
  };
}

/** The private key at a path of a seed's BIP-32 tree. The caller wipes it. */
export function bip32Key(seed: Uint8Array, path: string): Uint8Array {
  const master = HDKey.fromMasterSeed(seed);
  const node = master.derive(path);
  const key = Uint8Array.from(node.privateKey as Uint8Array);
  master.wipePrivateData();
  node.wipePrivateData();
  return key;
}
