// Transactions that name a stored nonce instead of a recent blockhash, and so do not expire until the nonce is advanced.

import type { Address } from '@solana/kit';
import { base58 } from '@scure/base';
import type { AccountState } from './account-history';
import { SYSTEM_PROGRAM } from './vm';
import type { Message } from './message';

/** The system program's AdvanceNonceAccount. */
const ADVANCE = 4;
const INITIALIZED = 1;
/** A nonce account holds its version, whether it is initialized, its authority, and then the nonce. */
const STATE_OFFSET = 4;
const NONCE_OFFSET = 40;
const NONCE_END = 72;

/** Whether the first instruction advances a nonce account whose nonce is the message's blockhash. */
export function holdsNonce(message: Message, account: (address: Address) => AccountState): boolean {
  const [first] = message.instructions;
  if (!first || message.staticKeys[first.program] !== SYSTEM_PROGRAM || first.data[0] !== ADVANCE) return false;
  const address = message.staticKeys[first.accounts[0] ?? -1];
  const state = address ? account(address) : null;
  if (!state || state.programAddress !== SYSTEM_PROGRAM || state.data.length < NONCE_END) return false;
  const data = Buffer.from(state.data);
  return (
    data.readUInt32LE(STATE_OFFSET) === INITIALIZED &&
    base58.encode(data.subarray(NONCE_OFFSET, NONCE_END)) === message.blockhash
  );
}
