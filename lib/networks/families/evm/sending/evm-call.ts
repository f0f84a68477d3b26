// The bytes of an EIP-1559 transaction that calls one contract without coin: read strictly, and signed. BSC takes the same type, with both
// prices equal. The signer signs only what this has read and encoded again. Pure.

import { keccak_256 } from '@noble/hashes/sha3.js';
import { BadDraft, type SignedTransaction } from '@/lib/networks/sending/send';
import { decodeRlp, encodeRlp, integerBytes, integerOf, type Rlp } from '@/lib/networks/families/evm/rlp';

/** Prices are wei per gas. */
export type EvmTerms = {
  readonly chainId: number;
  readonly nonce: number;
  readonly maxPriorityFeePerGas: bigint;
  readonly maxFeePerGas: bigint;
  readonly gasLimit: bigint;
};
/** `to`: the contract, in lower case. `data`: hex without 0x. */
export type EvmCall = EvmTerms & { readonly to: string; readonly data: string };

const TYPE = 2;
const FIELDS = 9;
const ADDRESS_BYTES = 20;

const bytesOf = (hex: string): Uint8Array => Buffer.from(hex.slice(2), 'hex');
const hexOf = (part: Uint8Array): string => `0x${Buffer.from(part).toString('hex')}`;
const scalarOf = (word: Uint8Array): bigint => BigInt(hexOf(word));
const serialise = (fields: readonly Rlp[]): Uint8Array => Buffer.concat([Uint8Array.of(TYPE), encodeRlp(fields)]);

function fieldsOf({ chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gasLimit, to, data }: EvmCall): Rlp[] {
  const integers = [BigInt(chainId), BigInt(nonce), maxPriorityFeePerGas, maxFeePerGas, gasLimit].map(integerBytes);
  return [...integers, bytesOf(to), integerBytes(0n), Buffer.from(data, 'hex'), []];
}

/** The call that unsigned bytes contain, 0x-prefixed hex. Throws BadDraft for any other transaction. */
export function readEvmCall(unsigned: string): EvmCall {
  const bytes = /^0x(?:[0-9a-f]{2})+$/.test(unsigned) ? bytesOf(unsigned) : new Uint8Array();
  if (bytes[0] !== TYPE) throw new BadDraft('it is no EIP-1559 transaction');
  const read = readFields(bytes.subarray(1));
  // Encode it again and compare, so that the bytes cannot contain anything that was not checked.
  if (!Buffer.from(serialise(fieldsOf(read))).equals(bytes)) throw new BadDraft('it does more than call one contract');
  if (read.maxPriorityFeePerGas > read.maxFeePerGas) throw new BadDraft('its tip is above its price');
  return read;
}

function readFields(bytes: Uint8Array): EvmCall {
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
  if (field(5).length !== ADDRESS_BYTES) throw new BadDraft('it calls no contract');
  return {
    chainId: small(0),
    nonce: small(1),
    maxPriorityFeePerGas: integer(2),
    maxFeePerGas: integer(3),
    gasLimit: integer(4),
    to: hexOf(field(5)),
    data: Buffer.from(field(7)).toString('hex'),
  };
}

/** The signed payload, and the transaction that a signature completes. */
export function signedCall(call: EvmCall): { payload: Uint8Array; finish(signature: Uint8Array): SignedTransaction } {
  const fields = fieldsOf(call);
  return {
    payload: keccak_256(serialise(fields)),
    finish: (signature) => {
      const [r, s, v] = [signature.subarray(0, 32), signature.subarray(32, 64), signature[64]];
      if (signature.length !== 65 || (v !== 0 && v !== 1)) throw new BadDraft('its signature is none');
      const integers = [BigInt(v), scalarOf(r), scalarOf(s)].map(integerBytes);
      const bytes = serialise([...fields, ...integers]);
      return { bytes: hexOf(bytes), hash: hexOf(keccak_256(bytes)) };
    },
  };
}
