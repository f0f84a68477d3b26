// The strict reader of EVM drafts: an EIP-1559 transaction that calls transfer(address,uint256) and nothing else. BSC takes the same
// type, with both prices equal. The signer signs only what this has read and encoded again. It shares no code with the writer
// (write-draft.ts), which is ethers, so that a mistake of either one stops a payment. Pure.

import { keccak_256 } from '@noble/hashes/sha3.js';
import { BadDraft, type DraftFacts, type EvmDraft, type SignedTransaction } from '@/lib/networks/sending/send';
import { TRANSFER_SELECTOR, transferData } from '@/lib/networks/families/evm/transfer-data';
import { decodeRlp, encodeRlp, integerBytes, integerOf, type Rlp } from '@/lib/networks/families/evm/rlp';

/** Prices are wei per gas. Addresses in lower case. */
export type EvmTransfer = {
  readonly chainId: number;
  readonly nonce: number;
  readonly maxPriorityFeePerGas: bigint;
  readonly maxFeePerGas: bigint;
  readonly gasLimit: bigint;
  readonly contract: string;
  readonly to: string;
  readonly amount: bigint;
};

const TYPE = 2;
const FIELDS = 9;
const WORD = 64;
const ADDRESS = 40;
const MAX_AMOUNT = 1n << 256n;

function fieldsOf(transfer: EvmTransfer): Rlp[] {
  const { chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gasLimit, contract, to, amount } = transfer;
  const integers = [BigInt(chainId), BigInt(nonce), maxPriorityFeePerGas, maxFeePerGas, gasLimit].map(integerBytes);
  return [...integers, bytesOf(contract), integerBytes(0n), Buffer.from(transferData(to.slice(2), amount), 'hex'), []];
}

const bytesOf = (hex: string): Uint8Array => Buffer.from(hex.slice(2), 'hex');
const serialise = (fields: readonly Rlp[]): Uint8Array => Buffer.concat([Uint8Array.of(TYPE), encodeRlp(fields)]);

/** The transfer that the bytes contain. Throws BadDraft for any other transaction. */
export function readEvmTransfer({ unsigned }: EvmDraft): EvmTransfer {
  const bytes = /^0x(?:[0-9a-f]{2})+$/.test(unsigned) ? bytesOf(unsigned) : new Uint8Array();
  if (bytes[0] !== TYPE) throw new BadDraft('it is no EIP-1559 transaction');
  const read = readFields(bytes.subarray(1));
  // Encode it again and compare, so that the bytes cannot contain anything that was not checked.
  if (!Buffer.from(serialise(fieldsOf(read))).equals(bytes)) throw new BadDraft('it does more than one token transfer');
  if (read.maxPriorityFeePerGas > read.maxFeePerGas) throw new BadDraft('its tip is above its price');
  return read;
}

function readFields(bytes: Uint8Array): EvmTransfer {
  let list: Rlp;
  try {
    list = decodeRlp(bytes);
  } catch {
    throw new BadDraft('its bytes are no transaction');
  }
  if (list instanceof Uint8Array || list.length !== FIELDS) throw new BadDraft('its bytes are no transaction');
  const field = (index: number): Uint8Array => {
    const one = list[index];
    if (!(one instanceof Uint8Array)) throw new BadDraft('its bytes are no transaction');
    return one;
  };
  const data = Buffer.from(field(7)).toString('hex');
  const contract = Buffer.from(field(5)).toString('hex');
  const selected = data.startsWith(TRANSFER_SELECTOR) && data.length === TRANSFER_SELECTOR.length + 2 * WORD;
  if (!selected || contract.length !== ADDRESS) throw new BadDraft('it is no token transfer');
  const words = data.slice(TRANSFER_SELECTOR.length);
  const integer = (index: number): bigint => {
    const one = field(index);
    if (one[0] === 0 || one.length > 32) throw new BadDraft('its bytes are no transaction');
    return integerOf(one);
  };
  const small = (index: number): number => {
    const value = integer(index);
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new BadDraft('its bytes are no transaction');
    return Number(value);
  };
  return {
    chainId: small(0),
    nonce: small(1),
    maxPriorityFeePerGas: integer(2),
    maxFeePerGas: integer(3),
    gasLimit: integer(4),
    contract: `0x${contract}`,
    to: `0x${words.slice(WORD - ADDRESS, WORD)}`,
    amount: BigInt(`0x${words.slice(WORD)}`) % MAX_AMOUNT,
  };
}

export function readEvmDraft(draft: EvmDraft): DraftFacts {
  const { contract, to, amount, gasLimit, maxFeePerGas, nonce, chainId } = readEvmTransfer(draft);
  const validity = { kind: 'nonce', nonce } as const;
  const feeCap = gasLimit * maxFeePerGas;
  return { contract, to, amount, from: draft.from.toLowerCase(), feeCap, validity, chainId, intentId: null };
}

/** The signed payload, and the transaction that a signature completes. */
export const signedEvm = (draft: EvmDraft): EvmSigning => signedFields(fieldsOf(readEvmTransfer(draft)));

type EvmSigning = { readonly payload: Uint8Array; finish(signature: Uint8Array): SignedTransaction };

/** The same for the fields of any EIP-1559 transaction, which the caller answers for. */
export const signedFields = (fields: readonly Rlp[]): EvmSigning => ({
  payload: keccak_256(serialise(fields)),
  finish: (signature) => {
    const [r, s, v] = [signature.subarray(0, 32), signature.subarray(32, 64), signature[64]];
    if (signature.length !== 65 || (v !== 0 && v !== 1)) throw new BadDraft('its signature is malformed');
    const integers = [BigInt(v), scalarOf(r), scalarOf(s)].map(integerBytes);
    const bytes = serialise([...fields, ...integers]);
    return { bytes: hexOf(bytes), hash: hexOf(keccak_256(bytes)) };
  },
});

const hexOf = (part: Uint8Array): string => `0x${Buffer.from(part).toString('hex')}`;
const scalarOf = (word: Uint8Array): bigint => BigInt(`0x${Buffer.from(word).toString('hex')}`);
