// Solana's legacy message format: accounts in the order of their permissions, a blockhash, and instructions that refer to accounts by
// position. Own code, because the signer loads no chain SDK.

import { keyBytes, keyText } from './address';

export type Instruction = {
  readonly program: string;
  readonly accounts: readonly string[];
  readonly data: Uint8Array;
};

export type Message = {
  /** Pays the fee and signs first. */
  readonly payer: string;
  /** Those who sign after the payer and whose accounts may be written, such as members of a multisig. */
  readonly writableSigners?: readonly string[];
  /** Owners of token accounts, who sign after those. Absent, with the former: the payer signs alone. */
  readonly signers?: readonly string[];
  readonly writable: readonly string[];
  readonly readonly: readonly string[];
  readonly blockhash: string;
  readonly instructions: readonly Instruction[];
};

const KEY = 32;
const HEADER = 3;
/** Bytes of an ed25519 signature. */
export const SIGNATURE_LENGTH = 64;
/** Lengths are compact-u16: up to this they take one byte, and only the data of an instruction is ever longer. */
const MAX = 127;
const MAX_DATA = 16_383;

/**
 * The bytes of a message. Throws an Error for text that is not an address, and for an account that is listed twice or not at all.
 */
export function compileMessage(message: Message): Uint8Array {
  const { payer, writableSigners = [], signers = [], writable, readonly, blockhash, instructions } = message;
  const keys = [payer, ...writableSigners, ...signers, ...writable, ...readonly];
  if (new Set(keys).size !== keys.length) throw new Error('an account is listed twice');
  const place = (key: string): number => {
    const index = keys.indexOf(key);
    if (index < 0) throw new Error('an account is not listed');
    return index;
  };
  return Buffer.concat([
    Uint8Array.of(1 + writableSigners.length + signers.length, signers.length, readonly.length, length(keys.length)),
    ...keys.map(bytesOf),
    bytesOf(blockhash),
    Uint8Array.of(length(instructions.length)),
    ...instructions.flatMap(({ program, accounts, data }) => [
      Uint8Array.of(place(program), length(accounts.length), ...accounts.map(place), ...dataLength(data.length)),
      data,
    ]),
  ]);
}

function bytesOf(key: string): Uint8Array {
  const bytes = keyBytes(key);
  if (!bytes) throw new Error('not a Solana address');
  return bytes;
}

function length(count: number): number {
  if (count > MAX) throw new Error('this is longer than a payment');
  return count;
}

function dataLength(count: number): readonly number[] {
  if (count <= MAX) return [count];
  if (count > MAX_DATA) throw new Error('this is longer than a payment');
  return [(count & MAX) | (MAX + 1), count >> 7];
}

/** A signature that a wallet replaces, and that a simulation does not verify. */
export const NO_SIGNATURE = new Uint8Array(SIGNATURE_LENGTH);

/** A message with its signatures in the order of its signers, base64. Without any it has one of zeros. */
export const transactionBytes = (message: Uint8Array, ...given: readonly Uint8Array[]): string => {
  const signatures = given.length > 0 ? given : [NO_SIGNATURE];
  return Buffer.concat([Uint8Array.of(signatures.length), ...signatures, message]).toString('base64');
};

/**
 * The message that the bytes contain, of a single signer, or of up to `mostSigners` who may all write. Throws an Error for truncated or
 * trailing bytes, or another number of signers.
 */
export function parseMessage(bytes: Uint8Array, mostSigners = 1): Message {
  let at = 0;
  const take = (count: number): Uint8Array => {
    at += count;
    if (at > bytes.length) throw new Error('the message is cut short');
    return bytes.subarray(at - count, at);
  };
  const one = (): number => {
    const [value = 0] = take(1);
    return length(value);
  };
  const dataSize = (): number => {
    const [low = 0] = take(1);
    if (low <= MAX) return low;
    const [high = 0] = take(1);
    return (low & MAX) | (length(high) << 7);
  };
  const [signers = 0, readonlySigners, readonlyOthers = 0] = take(HEADER);
  if (signers < 1 || signers > mostSigners || readonlySigners !== 0) throw new Error('another number of signers');
  const keys = Array.from({ length: one() }, () => keyText(take(KEY)));
  const keyAt = (index: number | undefined): string => {
    const key = keys[index ?? -1];
    if (key === undefined) throw new Error('an account is not listed');
    return key;
  };
  const blockhash = keyText(take(KEY));
  const instructions = Array.from({ length: one() }, (): Instruction => {
    const program = keyAt(one());
    const accounts = [...take(one())].map(keyAt);
    return { program, accounts, data: take(dataSize()) };
  });
  if (at !== bytes.length) throw new Error('the message goes on');
  const firstReadonly = keys.length - readonlyOthers;
  if (firstReadonly < signers) throw new Error('no account pays the fee');
  return {
    payer: keyAt(0),
    ...(signers > 1 ? { writableSigners: keys.slice(1, signers) } : {}),
    writable: keys.slice(signers, firstReadonly),
    readonly: keys.slice(firstReadonly),
    blockhash,
    instructions,
  };
}
