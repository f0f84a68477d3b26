// Durable nonce accounts of a simulated Solana chain: each landed transaction that names one gives it another value. The value follows
// from the transactions in blocks, so a reorganisation takes it back.

import { createHash } from 'node:crypto';
import { keyBytes, keyText, SYSTEM_PROGRAM } from '@/lib/networks/families/solana/address';
import type { Message } from '@/sandbox/chains/solana/message';
import { isSweep, type SolanaState } from './solana-state';

/** The system program's AdvanceNonceAccount. */
const ADVANCE_NONCE = 4;
const [VERSION, INITIALISED] = [1, 1];
const FEE = 5000n;

/** The account whose nonce a message advances in its first instruction; null if it advances none. */
export function nonceAccountOf({ staticKeys: keys, instructions: [first] }: Message): string | null {
  const isAdvance =
    first !== undefined &&
    keys[first.program] === SYSTEM_PROGRAM &&
    first.data.length === 4 &&
    Buffer.from(first.data).readUInt32LE() === ADVANCE_NONCE;
  return isAdvance ? (keys[first.accounts[0] ?? -1] ?? null) : null;
}

/** Its value after a slot. */
export function nonceValueAt({ mined }: Pick<SolanaState, 'mined'>, account: string, slot: number): string {
  const last = mined.findLast(
    ({ from, slot: at }) => at <= slot && !isSweep(from) && from.signed?.nonceAccount === account,
  );
  return keyText(
    createHash('sha256')
      .update(`${account} ${last?.signature ?? ''}`)
      .digest(),
  );
}

/** The data of a nonce account after a slot: version, state, authority, value and fee. */
export function nonceData(state: SolanaState, account: string, slot: number): Buffer | null {
  const authority = keyBytes(state.nonces.get(account) ?? '');
  const value = keyBytes(nonceValueAt(state, account, slot));
  if (!authority || !value) return null;
  const [head, fee] = [Buffer.alloc(8), Buffer.alloc(8)];
  head.writeUInt32LE(VERSION, 0);
  head.writeUInt32LE(INITIALISED, 4);
  fee.writeBigUInt64LE(FEE);
  return Buffer.concat([head, authority, value, fee]);
}
