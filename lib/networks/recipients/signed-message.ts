// Checks whether the key of an address signed a text: EIP-191 (`personal_sign`) on EVM chains, signMessageV2 on TRON, plain
// ed25519 on Solana. Contract signatures (EIP-1271) are not accepted, because a contract has no key. Pure.

import { ed25519 } from '@noble/curves/ed25519.js';
import { keccak256 } from 'ethers/crypto';
import { hashMessage } from 'ethers/hash';
import { recoverAddress } from 'ethers/transaction';
import { concat, toUtf8Bytes } from 'ethers/utils';
import type { NetworkFamily } from '@/lib/networks/chain';
import { keyBytes } from '@/lib/networks/families/solana/address';
import { tronAddress } from '@/lib/networks/families/tron/address';

/** `signer` is in the stored address format. */
export type SignedMessage = { readonly signer: string; readonly message: string; readonly signature: Uint8Array };

/** False for every signature that is malformed or made with another key, text or scheme. */
export const isSignedMessage = (family: NetworkFamily, signed: SignedMessage): boolean => VERIFIERS[family](signed);

const VERIFIERS: Readonly<Record<NetworkFamily, (signed: SignedMessage) => boolean>> = {
  evm: ({ signer, message, signature }) => recovered(hashMessage(message), signature) === signer.toLowerCase(),
  tron: ({ signer, message, signature }) => {
    const address = recovered(tronDigest(message), signature);
    return address !== null && tronAddress(address.slice('0x'.length)) === signer;
  },
  solana: ({ signer, message, signature }) => {
    const key = keyBytes(signer);
    // Strict verification: under ZIP 215 anyone can sign for the keys of small order.
    return key !== null && isOk(() => ed25519.verify(signature, toUtf8Bytes(message), key, { zip215: false }));
  },
};

/** Same as tronweb's hashMessage. */
function tronDigest(message: string): string {
  const bytes = toUtf8Bytes(message);
  return keccak256(concat([toUtf8Bytes(`\u0019TRON Signed Message:\n${bytes.length}`), bytes]));
}

/** Lower-case address of the signing key; null for bytes that are not a signature. */
function recovered(digest: string, signature: Uint8Array): string | null {
  // Wallets do not return the 64-byte compact form (EIP-2098).
  if (signature.length !== RECOVERABLE_BYTES) return null;
  try {
    return recoverAddress(digest, `0x${Buffer.from(signature).toString('hex')}`).toLowerCase();
  } catch {
    return null;
  }
}

const RECOVERABLE_BYTES = 65;

function isOk(check: () => boolean): boolean {
  try {
    return check();
  } catch {
    return false;
  }
}
