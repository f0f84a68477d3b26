// TRON transactions: built, read from a wallet's JSON or bytes, signed and written as nodes return them. Only `raw_data` counts: its
// protocol buffer bytes are encoded from it again, their SHA-256 is the id, and the signature is over the id.

import { recoverAddress, SigningKey } from 'ethers';
import { fromEvm, readAddress, sha256 } from './address';
import { CONTRACTS, isContractType, RAW_DATA, TRANSACTION, type ContractType, type Outcome } from './messages';
import { decode, encode, MalformedMessage, type Message } from './protobuf';

export type Transaction = {
  /** Hex without 0x. */
  readonly id: string;
  /** The bytes of `raw_data`. */
  readonly raw: Buffer;
  readonly signatures: readonly string[];
  readonly type: ContractType;
  /** The contract's parameters, addresses as hex. */
  readonly value: Message;
  readonly owner: string;
  /** The permission of the owner whose keys sign (Permission_id). */
  readonly permission: number;
  /** Unix milliseconds. */
  readonly expiration: number;
  /** Sun. */
  readonly feeLimit: number;
  readonly refBlockBytes: string;
  readonly refBlockHash: string;
};

/** A block that a transaction refers to, so that it is valid on this chain only. */
export type Reference = { readonly ref_block_bytes: string; readonly ref_block_hash: string };

const TYPE_URL = 'type.googleapis.com/protocol.';
const SIGNATURE_BYTES = 65;

export type Draft = Reference & {
  readonly expiration: number;
  readonly timestamp: number;
  readonly fee_limit?: number | undefined;
  readonly data?: string | undefined;
  readonly permission?: number | undefined;
};

/** An unsigned transaction of one contract. Throws MalformedMessage when its parameters do not match the contract. */
export function buildTransaction(type: ContractType, value: Message, draft: Draft): Transaction {
  const { permission, ...raw } = draft;
  const parameter = { value, type_url: `${TYPE_URL}${type}` };
  return readRawJson({ ...raw, contract: [{ type, parameter, Permission_id: permission }] }, []);
}

/** A transaction as wallets send it. Throws MalformedMessage when it is invalid. */
export function readTransactionJson(json: unknown): Transaction {
  const { raw_data: raw, signature = [] } = (json ?? {}) as { raw_data?: Message; signature?: unknown };
  if (!raw || typeof raw !== 'object') throw new MalformedMessage('raw_data is missing');
  const signatures = Array.isArray(signature) ? signature.map((one) => String(one).replace(/^0x/, '')) : [];
  return readRawJson(raw, signatures);
}

function readRawJson(raw: Message, signatures: readonly string[]): Transaction {
  const contracts = raw.contract;
  if (!Array.isArray(contracts) || contracts.length !== 1) throw new MalformedMessage('there must be one contract');
  const { type, parameter, ...contract } = contracts[0] as { type?: unknown; parameter?: Message };
  if (!isContractType(type)) throw new MalformedMessage(`this chain has no contract ${String(type).slice(0, 40)}`);
  const value = encode(CONTRACTS[type].schema, (parameter?.value ?? {}) as Message);
  const bytes = { ...contract, type, parameter: { type_url: `${TYPE_URL}${type}`, value } };
  return readRaw(encode(RAW_DATA, { ...raw, contract: [bytes] }), signatures);
}

/** A transaction from the bytes of its whole message. Throws MalformedMessage. */
export function readTransactionBytes(bytes: Uint8Array): Transaction {
  const { raw_data: raw = '', signature = [] } = decode(TRANSACTION, bytes) as {
    raw_data?: string;
    signature?: string[];
  };
  return readTransactionJson({ raw_data: rawJson(Buffer.from(raw, 'hex')), signature });
}

function readRaw(raw: Buffer, signatures: readonly string[]): Transaction {
  const read = rawJson(raw);
  const [contract] = read.contract as [{ type: ContractType; parameter: { value: Message }; Permission_id?: number }];
  const { type, parameter, Permission_id: permission = 0 } = contract;
  const owner = readAddress(parameter.value.owner_address);
  if (owner === null) throw new MalformedMessage('the contract has no owner_address');
  return {
    id: sha256(raw).toString('hex'),
    raw,
    signatures,
    type,
    value: parameter.value,
    owner,
    permission,
    expiration: Number(read.expiration ?? 0),
    feeLimit: Number(read.fee_limit ?? 0),
    refBlockBytes: String(read.ref_block_bytes ?? ''),
    refBlockHash: String(read.ref_block_hash ?? ''),
  };
}

/** `raw_data` as nodes write it. */
export function rawJson(raw: Uint8Array, visible = false): Record<string, unknown> {
  const { contract, ...rest } = decode(RAW_DATA, raw, visible);
  const contracts = (contract ?? []) as { type?: string; parameter: { type_url: string; value?: string } }[];
  const written = contracts.map(({ type = 'AccountCreateContract', parameter, ...others }) => {
    if (!isContractType(type)) throw new MalformedMessage(`this chain has no contract ${type}`);
    const value = decode(CONTRACTS[type].schema, Buffer.from(parameter.value ?? '', 'hex'), visible);
    return { parameter: { value, type_url: parameter.type_url }, type, ...others };
  });
  return { contract: written, ...rest };
}

/** The transaction as a node returns it before it is signed. */
export function unsignedJson({ id, raw }: Transaction, visible: boolean): Record<string, unknown> {
  return { visible, txID: id, raw_data: rawJson(raw, visible), raw_data_hex: raw.toString('hex') };
}

/** The transaction as a node returns it in a block, or while it is pending (`outcome` null). */
export function signedJson({ id, raw, signatures }: Transaction, outcome: Outcome | null, visible: boolean) {
  return {
    ...(outcome ? { ret: [{ contractRet: outcome }] } : {}),
    ...(signatures.length > 0 ? { signature: signatures } : {}),
    txID: id,
    raw_data: rawJson(raw, visible),
    raw_data_hex: raw.toString('hex'),
  };
}

/** The whole message as bytes. Blocks hold it with its outcome; bandwidth counts its length without. */
export function transactionBytes({ raw, signatures }: Transaction, outcome: Outcome | null): Buffer {
  const ret = outcome ? [{ contractRet: outcome }] : [];
  return encode(TRANSACTION, { raw_data: raw, signature: signatures, ret });
}

/** The signer of a transaction id. Throws an Error with the reason when the signature is invalid. */
export function signerOf(id: string, signature: string): string {
  const bytes = Buffer.from(signature, 'hex');
  if (bytes.length < SIGNATURE_BYTES) throw new Error(`Signature size is ${bytes.length}`);
  const last = bytes[SIGNATURE_BYTES - 1] ?? 0;
  const v = last < 27 ? last + 27 : last;
  const [r, s] = [bytes.subarray(0, 32), bytes.subarray(32, 64)].map((part) => `0x${part.toString('hex')}`);
  return fromEvm(recoverAddress(`0x${id}`, { r: r!, s: s!, v }));
}

/** The transaction with one more signature, of a key (0x-hex). */
export function signTransaction(transaction: Transaction, key: string): Transaction {
  const { r, s, v } = new SigningKey(key).sign(`0x${transaction.id}`);
  const signature = `${r.slice(2)}${s.slice(2)}${(v - 27).toString(16).padStart(2, '0')}`;
  return { ...transaction, signatures: [...transaction.signatures, signature] };
}
