// Reads a Solana message (legacy, or version 0 without lookup tables) into its accounts and instructions. Strict: every
// length has its one shortest spelling, every index exists, no account is there twice or unused, and no byte is left over.

import { keyText } from '@/lib/chains/solana/address';

export type Instruction = {
  readonly program: string;
  readonly accounts: readonly string[];
  readonly data: Buffer;
};

export type SolanaMessage = {
  /** Accounts that must sign; the first of them pays the fee. */
  readonly signers: readonly string[];
  readonly writable: ReadonlySet<string>;
  readonly instructions: readonly Instruction[];
};

const KEY_BYTES = 32;
const VERSION_0 = 0x80;
const MOST_INSTRUCTIONS = 16;

/** The parts of a message, or null when it is none of the allowed form. */
export function readMessage(bytes: Buffer): SolanaMessage | null {
  try {
    return read(bytes);
  } catch (error) {
    if (error instanceof Malformed) return null;
    throw error;
  }
}

class Malformed extends Error {}

function read(bytes: Buffer): SolanaMessage {
  let at = 0;
  const take = (count: number): Buffer => {
    if (at + count > bytes.length) throw new Malformed();
    at += count;
    return bytes.subarray(at - count, at);
  };
  const byte = (): number => take(1)[0] as number;
  /** Solana's compact-u16. */
  const length = (): number => {
    let value = 0;
    for (let shift = 0; shift < 21; shift += 7) {
      const next = byte();
      value |= (next & 0x7f) << shift;
      if (next >= 0x80) continue;
      if ((shift > 0 && next === 0) || value > 0xffff) throw new Malformed();
      return value;
    }
    throw new Malformed();
  };

  const versioned = bytes[0] === VERSION_0;
  if (versioned) byte();
  const [signing, readonlySigning, readonlyOthers] = [byte(), byte(), byte()];
  const keys = Array.from({ length: length() }, () => keyText(take(KEY_BYTES)));
  const isSound = signing > 0 && signing < 0x80 && readonlySigning < signing && signing + readonlyOthers <= keys.length;
  if (!isSound || new Set(keys).size !== keys.length) throw new Malformed();
  take(KEY_BYTES); // The block hash, whatever it is: one that is none makes a transaction that no node takes.

  const used = new Set<string>(keys.slice(0, 1));
  const key = (index: number): string => {
    const found = keys[index];
    if (found === undefined) throw new Malformed();
    used.add(found);
    return found;
  };
  const count = length();
  if (count > MOST_INSTRUCTIONS) throw new Malformed();
  const instructions = Array.from({ length: count }, (): Instruction => {
    const program = key(byte());
    const accounts = Array.from(take(length()), key);
    return { program, accounts, data: take(length()) };
  });
  if (versioned && length() !== 0) throw new Malformed();
  if (at !== bytes.length || used.size !== keys.length) throw new Malformed();
  const isWritable = (_key: string, index: number): boolean =>
    index < signing ? index < signing - readonlySigning : index < keys.length - readonlyOthers;
  return { signers: keys.slice(0, signing), writable: new Set(keys.filter(isWritable)), instructions };
}
