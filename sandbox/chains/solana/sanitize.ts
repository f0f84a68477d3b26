// Checks that a transaction is well formed. litesvm aborts the whole process on bytes that it cannot read, so this check runs
// first.

import { getCompiledTransactionMessageEncoder, type CompiledTransactionMessage } from '@solana/kit';
import type { Message } from './message';

/** Priority fee takes two bits, which are both set or both clear; then three limits. */
const KNOWN_CONFIG_BITS = 0b11111;
const PRIORITY_FEE_BITS = 0b11;

const messageEncoder = getCompiledTransactionMessageEncoder();

/** The reason for refusing the message; null if it is well formed. */
export function malformed(
  message: Message,
  compiled: CompiledTransactionMessage,
  bytes: ArrayLike<number>,
): string | null {
  const { signers, readonlySigners, readonlyOthers, staticKeys, lookups, instructions } = message;
  if (signers === 0 || readonlySigners >= signers) return 'no writable fee payer';
  if (signers + readonlyOthers > staticKeys.length) return 'fewer accounts than the header says';
  const loaded = lookups.reduce((sum, { writable, readonly }) => sum + writable.length + readonly.length, 0);
  const keys = staticKeys.length + loaded;
  if (keys > 256) return 'too many accounts';
  const isBroken = instructions.some(
    ({ program, accounts }) => program === 0 || program >= staticKeys.length || accounts.some((index) => index >= keys),
  );
  if (isBroken) return 'an instruction names an account that is not there';
  if (compiled.version === 1) {
    const { configMask } = compiled;
    const fee = configMask & PRIORITY_FEE_BITS;
    if ((configMask & ~KNOWN_CONFIG_BITS) !== 0 || (fee !== 0 && fee !== PRIORITY_FEE_BITS))
      return 'unknown configuration';
  }
  const written = messageEncoder.encode(compiled);
  return Buffer.from(written).equals(Buffer.from(Uint8Array.from(bytes))) ? null : 'bytes that mean nothing';
}
