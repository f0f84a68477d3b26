// Parses received transactions: their bytes into one shape for the versions legacy, 0 and 1, the accounts that they name,
// directly or through lookup tables, and their fee.

import {
  getAddressDecoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type Address,
  type CompiledTransactionMessage,
  type Transaction,
} from '@solana/kit';
import { base58 } from '@scure/base';
import type { AccountState } from './account-history';
import type { Instruction, Lookup, Message } from './message';
import { configOf, priorityFee } from './priority-fee';
import { decodedBase58 } from './params';
import { invalidParams } from './rpc-error';
import { malformed } from './sanitize';

export type WireTransaction = {
  readonly bytes: Uint8Array;
  readonly transaction: Transaction;
  /** The first signature is the transaction's id. */
  readonly signatures: readonly string[];
  readonly message: Message;
};

/** All accounts in the order in which instructions count them. */
export type Keys = {
  readonly all: readonly Address[];
  readonly loadedWritable: readonly Address[];
  readonly loadedReadonly: readonly Address[];
};

const LARGEST = 1232;
/** Version 1 may be longer (SIMD-0296). */
const LARGEST_V1 = 4096;
const LAMPORTS_PER_SIGNATURE = 5000n;
/** Addresses of a lookup table begin after its 56 bytes of state. */
const TABLE_HEAD = 56;
const KEY_SIZE = 32;

const transactionDecoder = getTransactionDecoder();
const messageDecoder = getCompiledTransactionMessageDecoder();
const addressDecoder = getAddressDecoder();

/** Parses a transaction. Throws an RpcError when it is invalid or too long. */
export function readTransaction(text: string, encoding: 'base58' | 'base64'): WireTransaction {
  const bytes = decodeText(text, encoding);
  try {
    const transaction = transactionDecoder.decode(bytes);
    const message = readMessage(transaction.messageBytes);
    if (bytes.length > (message.version === 1 ? LARGEST_V1 : LARGEST)) throw new Error(`${bytes.length} bytes long`);
    const signatures = Object.values(transaction.signatures).map((one) => base58.encode(one ?? new Uint8Array(64)));
    return { bytes, transaction, signatures, message };
  } catch (error) {
    throw invalidParams(`failed to deserialize VersionedTransaction: ${(error as Error).message}`);
  }
}

/** Parses a message without signatures. Throws when it is invalid, or no node would execute it. */
export function readMessage(bytes: Transaction['messageBytes'] | Uint8Array): Message {
  const compiled = messageDecoder.decode(bytes);
  const message: Message = {
    version: compiled.version,
    signers: compiled.header.numSignerAccounts,
    readonlySigners: compiled.header.numReadonlySignerAccounts,
    readonlyOthers: compiled.header.numReadonlyNonSignerAccounts,
    staticKeys: compiled.staticAccounts,
    blockhash: compiled.lifetimeToken,
    instructions: instructionsOf(compiled),
    lookups: lookupsOf(compiled),
    config: compiled.version === 1 ? configOf(compiled.configMask, compiled.configValues) : null,
  };
  const fault = malformed(message, compiled, bytes);
  if (fault) throw new Error(fault);
  return message;
}

/** The accounts of a message; `account` reads those of lookup tables. */
export function keysOf(message: Message, account: (address: Address) => AccountState): Keys {
  const load = (pick: (lookup: Lookup) => readonly number[]) =>
    message.lookups.flatMap((lookup) => {
      const data = account(lookup.table)?.data ?? new Uint8Array();
      return pick(lookup)
        .filter((index) => TABLE_HEAD + KEY_SIZE * (index + 1) <= data.length)
        .map((index) => addressDecoder.decode(data, TABLE_HEAD + KEY_SIZE * index));
    });
  const loadedWritable = load((lookup) => lookup.writable);
  const loadedReadonly = load((lookup) => lookup.readonly);
  return { all: [...message.staticKeys, ...loadedWritable, ...loadedReadonly], loadedWritable, loadedReadonly };
}

/** Whether the transaction may change the account at this index of its keys. */
export function isWritable({ staticKeys, signers, readonlySigners, readonlyOthers }: Message, keys: Keys, at: number) {
  if (at < signers) return at < signers - readonlySigners;
  if (at < staticKeys.length) return at < staticKeys.length - readonlyOthers;
  return at < staticKeys.length + keys.loadedWritable.length;
}

/** Lamports that the fee payer loses whether the transaction succeeds or fails. */
export function feeOf(message: Message): bigint {
  return LAMPORTS_PER_SIGNATURE * BigInt(message.signers) + priorityFee(message);
}

const decodeText = (text: string, encoding: 'base58' | 'base64'): Uint8Array =>
  encoding === 'base64' ? new Uint8Array(Buffer.from(text, 'base64')) : decodedBase58(text);

function instructionsOf(compiled: CompiledTransactionMessage): Instruction[] {
  if (compiled.version === 1) {
    return compiled.instructionHeaders.map((header, at) => {
      const payload = compiled.instructionPayloads[at];
      return {
        program: header.programAccountIndex,
        accounts: payload?.instructionAccountIndices ?? [],
        data: Uint8Array.from(payload?.instructionData ?? []),
      };
    });
  }
  return compiled.instructions.map(({ programAddressIndex, accountIndices, data }) => ({
    program: programAddressIndex,
    accounts: accountIndices ?? [],
    data: Uint8Array.from(data ?? []),
  }));
}

function lookupsOf(compiled: CompiledTransactionMessage): Lookup[] {
  if (compiled.version !== 0) return [];
  return (compiled.addressTableLookups ?? []).map(({ lookupTableAddress, writableIndexes, readonlyIndexes }) => ({
    table: lookupTableAddress,
    writable: writableIndexes,
    readonly: readonlyIndexes,
  }));
}
