// Transactions in blocks in the RPC's format, in each encoding, with their meta.

import { base58 } from '@scure/base';
import { compiledJson, parsedInstructionJson } from './instruction-json';
import type { Landed } from './landed';
import { unsupportedVersion } from './rpc-error';
import type { TransactionError } from './transaction-error';
import type { Execution } from './vm';
import type { Lookup, Message } from './message';
import { isWritable, type Keys, type WireTransaction } from './wire';

type TransactionEncoding = 'json' | 'jsonParsed' | 'base64' | 'base58';
export type TransactionForm = {
  readonly encoding: TransactionEncoding;
  /** The highest version that the caller supports; undefined for legacy only. */
  readonly maxVersion: number | undefined;
};

/** `transaction`, `meta` and, when the caller supports versions, `version`. Throws when its version is higher. */
export function transactionJson(landed: Landed, { encoding, maxVersion }: TransactionForm) {
  const version = versionFor(landed, maxVersion);
  return { transaction: bodyJson(landed, encoding), meta: metaJson(landed, encoding === 'jsonParsed'), ...version };
}

/** The form of getBlock's `accounts`: no instructions, and a meta of balances only. */
export function accountsOnlyJson(landed: Landed, maxVersion: number | undefined) {
  const { err, status, fee, preBalances, postBalances, preTokenBalances, postTokenBalances } = metaJson(landed, false);
  return {
    transaction: {
      signatures: landed.wire.signatures,
      accountKeys: annotatedKeys(landed.wire.message, landed.keys),
    },
    meta: { err, status, fee, preBalances, postBalances, preTokenBalances, postTokenBalances },
    ...versionFor(landed, maxVersion),
  };
}

/** `{ Ok: null }` or `{ Err: … }`. */
export const statusJson = (error: TransactionError | null) => (error ? { Err: error } : { Ok: null });

/** Inner instructions, which programs caused. */
export const innerJson = (inner: Execution['inner'], keys: Keys, parsed: boolean) =>
  inner.map(({ index, instructions }) => ({
    index,
    instructions: instructions.map((one) =>
      parsed ? parsedInstructionJson(one, keys.all, one.stackHeight) : compiledJson(one, one.stackHeight),
    ),
  }));

/** What a program returned, or null. */
export const returnedJson = (returned: Execution['returned']) =>
  returned && {
    programId: base58.encode(returned.program),
    data: [Buffer.from(returned.data).toString('base64'), 'base64'],
  };

function versionFor({ wire }: Landed, maxVersion: number | undefined) {
  const { version } = wire.message;
  if (version !== 'legacy' && (maxVersion === undefined || version > maxVersion)) throw unsupportedVersion(version);
  return maxVersion === undefined ? {} : { version };
}

function metaJson({ execution, fee, before, after, keys }: Landed, parsed: boolean) {
  const { error, inner, logs, computeUnits, returned } = execution;
  return {
    err: error,
    status: statusJson(error),
    fee,
    preBalances: before.lamports,
    postBalances: after.lamports,
    preTokenBalances: before.tokens,
    postTokenBalances: after.tokens,
    innerInstructions: innerJson(inner, keys, parsed),
    logMessages: logs,
    computeUnitsConsumed: computeUnits,
    rewards: [],
    ...(parsed ? {} : { loadedAddresses: { writable: keys.loadedWritable, readonly: keys.loadedReadonly } }),
    ...(returned ? { returnData: returnedJson(returned) } : {}),
  };
}

function bodyJson({ wire, keys }: Landed, encoding: TransactionEncoding): unknown {
  switch (encoding) {
    case 'base64':
      return [Buffer.from(wire.bytes).toString('base64'), encoding];
    case 'base58':
      return [base58.encode(wire.bytes), encoding];
    case 'json':
      return { signatures: wire.signatures, message: compiledMessage(wire) };
    case 'jsonParsed':
      return { signatures: wire.signatures, message: parsedMessage(wire, keys) };
  }
  return encoding satisfies never;
}

function compiledMessage({ message }: WireTransaction) {
  return {
    header: {
      numRequiredSignatures: message.signers,
      numReadonlySignedAccounts: message.readonlySigners,
      numReadonlyUnsignedAccounts: message.readonlyOthers,
    },
    accountKeys: message.staticKeys,
    recentBlockhash: message.blockhash,
    instructions: message.instructions.map((one) => compiledJson(one, 1)),
    ...ofVersion(message),
  };
}

function parsedMessage({ message }: WireTransaction, keys: Keys) {
  return {
    accountKeys: annotatedKeys(message, keys),
    recentBlockhash: message.blockhash,
    instructions: message.instructions.map((one) => parsedInstructionJson(one, keys.all, 1)),
    ...ofVersion(message),
  };
}

function ofVersion(message: Message) {
  switch (message.version) {
    case 'legacy':
      return {};
    case 0:
      return { addressTableLookups: message.lookups.map(lookupJson) };
    case 1:
      return { transactionConfig: message.config };
  }
  return message.version satisfies never;
}

const lookupJson = ({ table, writable, readonly }: Lookup) => ({
  accountKey: table,
  writableIndexes: writable,
  readonlyIndexes: readonly,
});

const annotatedKeys = (message: Message, keys: Keys) =>
  keys.all.map((pubkey, at) => ({
    pubkey,
    signer: at < message.signers,
    writable: isWritable(message, keys, at),
    source: at < message.staticKeys.length ? 'transaction' : 'lookupTable',
  }));
