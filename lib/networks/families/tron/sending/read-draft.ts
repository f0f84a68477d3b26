// The strict reader of TRON drafts: raw_data with one TriggerSmartContract that calls transfer(address,uint256) and nothing else
// (protocol/core/Tron.proto). The signer signs only what this has read and encoded again. It shares no code with the writer
// (write-draft.ts), which is tronweb, so that a mistake of either one stops a payment. Pure.

import { sha256 } from '@noble/hashes/sha2.js';
import { BadDraft, type DraftFacts, type SignedTransaction, type TronDraft } from '@/lib/networks/sending/send';
import { TRANSFER_SELECTOR, transferData } from '@/lib/networks/families/evm/transfer-data';
import { addressBytes, tronAddress } from '@/lib/networks/families/tron/address';
import { decodeFields, encodeFields } from '@/lib/networks/families/tron/protobuf';

/** `expiration` and `timestamp` in milliseconds, `feeLimit` in sun; hex without 0x; addresses in base58check. */
export type TronTransfer = {
  readonly owner: string;
  readonly contract: string;
  readonly to: string;
  readonly amount: bigint;
  readonly refBlockBytes: string;
  readonly refBlockHash: string;
  readonly expiration: number;
  readonly timestamp: number;
  readonly feeLimit: bigint;
};

/**
 * A transfer from an account with several keys, which is signed on other machines (cold storage). `permissionId`: the permission of the
 * account whose keys sign; 0 is the owner permission, and 2 the first of the active ones.
 */
export type PermittedTransfer = TronTransfer & { readonly permissionId: number };

const RAW = { refBlockBytes: 1, refBlockHash: 4, expiration: 8, contract: 11, timestamp: 14, feeLimit: 18 } as const;
const CONTRACT = { type: 1, parameter: 2, permissionId: 5 } as const;
const ANY = { typeUrl: 1, value: 2 } as const;
const TRIGGER = { owner: 1, contract: 2, data: 4 } as const;
const TRANSACTION = { raw: 1, signature: 2 } as const;
const TRIGGER_SMART_CONTRACT = 31n;
const TYPE_URL = Buffer.from('type.googleapis.com/protocol.TriggerSmartContract');
const WORD = 64;
const ADDRESS = 40;
/** java-tron reserves this for the result that it adds to a transaction (Constant.MAX_RESULT_SIZE_IN_TX). */
const RESULT_BYTES = 64;
const SIGNATURE_BYTES = 65;
/** Sun per byte of burned bandwidth; governance has not changed it since 2021 (getTransactionFee). */
const SUN_PER_BYTE = 1000n;
/** Sun for a transaction with more than one signature (getMultiSignFee). */
export const MULTI_SIGN_FEE = 1_000_000n;
/** The identifiers of active permissions: an account has at most eight. */
const [FIRST_ACTIVE, LAST_ACTIVE] = [2, 9];

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const fromHex = (hex: string): Uint8Array => Buffer.from(hex, 'hex');
const account = (address: string): Uint8Array => fromHex(`41${addressBytes(address)}`);

function rawData(transfer: PermittedTransfer): Uint8Array {
  const trigger = encodeFields([
    { number: TRIGGER.owner, value: account(transfer.owner) },
    { number: TRIGGER.contract, value: account(transfer.contract) },
    { number: TRIGGER.data, value: fromHex(transferData(addressBytes(transfer.to), transfer.amount)) },
  ]);
  const wrapped = encodeFields([
    { number: ANY.typeUrl, value: TYPE_URL },
    { number: ANY.value, value: trigger },
  ]);
  const contract = encodeFields([
    { number: CONTRACT.type, value: TRIGGER_SMART_CONTRACT },
    { number: CONTRACT.parameter, value: wrapped },
    { number: CONTRACT.permissionId, value: BigInt(transfer.permissionId) },
  ]);
  return encodeFields([
    { number: RAW.refBlockBytes, value: fromHex(transfer.refBlockBytes) },
    { number: RAW.refBlockHash, value: fromHex(transfer.refBlockHash) },
    { number: RAW.expiration, value: BigInt(transfer.expiration) },
    { number: RAW.contract, value: contract },
    { number: RAW.timestamp, value: BigInt(transfer.timestamp) },
    { number: RAW.feeLimit, value: transfer.feeLimit },
  ]);
}

/**
 * The transfer that the bytes contain. Throws BadDraft for any other transaction, and for one that names a permission: the wallets of the
 * service have one key.
 */
export function readTronTransfer({ unsigned }: TronDraft): TronTransfer {
  const { permissionId, ...transfer } = readPermittedTransfer(unsigned);
  if (permissionId !== 0) throw new BadDraft('it names a permission of its account');
  return transfer;
}

/** The same, and the permission that the bytes name. Throws BadDraft for any other transaction. */
export function readPermittedTransfer(unsigned: string): PermittedTransfer {
  const bytes = /^(?:[0-9a-f]{2})+$/.test(unsigned) ? fromHex(unsigned) : new Uint8Array();
  let read: PermittedTransfer;
  try {
    read = readRaw(bytes);
    // Encode it again and compare, so that the bytes cannot contain anything that was not checked.
    if (!Buffer.from(rawData(read)).equals(bytes)) throw new Error('it has more fields');
  } catch {
    throw new BadDraft('its bytes are not exactly one token transfer');
  }
  return read;
}

function readRaw(bytes: Uint8Array): PermittedTransfer {
  const raw = fieldsIn(bytes);
  const contract = fieldsIn(raw.bytes(RAW.contract));
  const wrapped = fieldsIn(contract.bytes(CONTRACT.parameter));
  const trigger = fieldsIn(wrapped.bytes(ANY.value));
  const data = hexOf(trigger.bytes(TRIGGER.data)).slice(TRANSFER_SELECTOR.length);
  const address = (value: Uint8Array): string => tronAddress(hexOf(value).slice(2));
  return {
    owner: address(trigger.bytes(TRIGGER.owner)),
    contract: address(trigger.bytes(TRIGGER.contract)),
    to: tronAddress(data.slice(WORD - ADDRESS, WORD)),
    amount: BigInt(`0x${data.slice(WORD)}`),
    refBlockBytes: hexOf(raw.bytes(RAW.refBlockBytes)),
    refBlockHash: hexOf(raw.bytes(RAW.refBlockHash)),
    expiration: raw.integer(RAW.expiration),
    timestamp: raw.integer(RAW.timestamp),
    feeLimit: BigInt(raw.integer(RAW.feeLimit)),
    permissionId: permissionIn(contract),
  };
}

function permissionIn(contract: ReturnType<typeof fieldsIn>): number {
  if (!contract.has(CONTRACT.permissionId)) return 0;
  const id = contract.integer(CONTRACT.permissionId);
  if (id < FIRST_ACTIVE || id > LAST_ACTIVE) throw new Error('an account has no such permission');
  return id;
}

function fieldsIn(message: Uint8Array) {
  const fields = decodeFields(message);
  const bytes = (number: number): Uint8Array => {
    const value = fields.get(number);
    if (value instanceof Uint8Array) return value;
    throw new Error('a field is missing');
  };
  const integer = (number: number): number => {
    const value = fields.get(number);
    if (typeof value === 'bigint' && value <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(value);
    throw new Error('a field is missing');
  };
  return { bytes, integer, has: (number: number): boolean => fields.has(number) };
}

/** The bandwidth in bytes that the transaction takes with so many signatures. */
export function bandwidthOf({ unsigned }: Pick<TronDraft, 'unsigned'>, signatures = 1): number {
  const signed = Array.from({ length: signatures }, () => new Uint8Array(SIGNATURE_BYTES));
  return signedBytes(fromHex(unsigned), signed).length + RESULT_BYTES;
}

const signedBytes = (raw: Uint8Array, signatures: readonly Uint8Array[]): Uint8Array =>
  encodeFields([
    { number: TRANSACTION.raw, value: raw },
    ...signatures.map((value) => ({ number: TRANSACTION.signature, value })),
  ]);

export function readTronDraft(draft: TronDraft): DraftFacts {
  const { owner: from, contract, to, amount, feeLimit, expiration } = readTronTransfer(draft);
  return {
    contract,
    to,
    from,
    amount,
    feeCap: feeLimit + BigInt(bandwidthOf(draft)) * SUN_PER_BYTE,
    // A block before this second may still hold it, so the second is rounded up.
    validity: { kind: 'time', expiresAt: Math.ceil(expiration / 1000) },
    chainId: null,
    intentId: null,
  };
}

/** What the network may take in sun for the bytes with so many signatures. */
export const permittedFee = (unsigned: string, signatures: number): bigint =>
  readPermittedTransfer(unsigned).feeLimit +
  BigInt(bandwidthOf({ unsigned }, signatures)) * SUN_PER_BYTE +
  (signatures > 1 ? MULTI_SIGN_FEE : 0n);

/** The signed payload, and the transaction that a signature completes. */
export function signedTron(draft: TronDraft): {
  payload: Uint8Array;
  finish(signature: Uint8Array): SignedTransaction;
} {
  readTronTransfer(draft);
  const permitted = signedPermitted(draft.unsigned);
  return { payload: permitted.payload, finish: (signature) => permitted.finish([signature]) };
}

/** The payload that each key of the permission signs, and the transaction that their signatures complete. Throws BadDraft. */
export function signedPermitted(unsigned: string): {
  payload: Uint8Array;
  finish(signatures: readonly Uint8Array[]): SignedTransaction;
} {
  const raw = rawData(readPermittedTransfer(unsigned));
  const payload = sha256(raw);
  return {
    payload,
    finish: (signatures) => {
      if (signatures.length === 0 || signatures.some(({ length }) => length !== SIGNATURE_BYTES))
        throw new BadDraft('its signature has another length');
      return { bytes: hexOf(signedBytes(raw, signatures)), hash: hexOf(payload) };
    },
  };
}
