// The address behind a signature of secp256k1 over a digest, on EVM networks and TRON. Pure.

import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { tronAddress } from '@/lib/networks/families/tron/address';

/** `signature`: r, s and recovery (0 or 1). Null if it is malformed or not in the form with the low s. */
export function recoveredAddress(family: 'evm' | 'tron', digest: Uint8Array, signature: Uint8Array): string | null {
  const recovery = signature[64];
  if (signature.length !== 65 || (recovery !== 0 && recovery !== 1)) return null;
  try {
    const parsed = secp256k1.Signature.fromBytes(signature.subarray(0, 64), 'compact').addRecoveryBit(recovery);
    if (parsed.hasHighS()) return null;
    const hash = keccak_256(parsed.recoverPublicKey(digest).toBytes(false).subarray(1)).subarray(12);
    const hex = Buffer.from(hash).toString('hex');
    return family === 'evm' ? `0x${hex}` : tronAddress(hex);
  } catch {
    // The numbers are not a point of the curve.
    return null;
  }
}
