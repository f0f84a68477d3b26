// An EVM draft: a token transfer in a transaction of type 0 (EIP-155) or type 2 (EIP-1559). A draft has no field for a value,
// an access list or an authorization, so no such transaction can be made here; the transaction is encoded by the signer.

import { keccak_256 } from '@noble/hashes/sha3.js';
import { sha256 } from '@/lib/crypto';
import type { EvmDraft } from './orders';
import type { Expected, Payload } from './payload-shape';
import { Refusal } from './refusal';

/** `transfer(address,uint256)`. */
const TRANSFER_SELECTOR = 'a9059cbb';

type Item = Uint8Array | readonly Item[];

/** Throws a Refusal when the draft is not the order's transfer on the order's chain, within the fee cap. */
export function evmPayload(draft: EvmDraft, { order, spec, account, feeCap }: Expected): Payload {
  const { to, amount, contract } = order;
  if (draft.chainId !== spec.chainId) throw new Refusal('draft', 'the draft is for another chain id');
  if (draft.to !== contract) throw new Refusal('draft', 'the draft calls another contract than the order names');
  const data = `0x${TRANSFER_SELECTOR}${to.slice(2).padStart(64, '0')}${BigInt(amount).toString(16).padStart(64, '0')}`;
  if (draft.data !== data) throw new Refusal('draft', "the draft's call is not the order's transfer");
  const price = priceOf(draft);
  if (price.most === 0n || price.tip > price.most) throw new Refusal('draft', 'the fees of the draft make no sense');
  if (BigInt(draft.gasLimit) * price.most > feeCap)
    throw new Refusal('draft', 'the draft may cost more than the fee cap');

  const unsigned = encode(draft, []);
  return {
    digest: sha256(unsigned).toString('hex'),
    validity: { kind: 'nonce', nonce: draft.nonce },
    evm: draft,
    // A nonce does not age.
    checkLife: () => {},
    sign: () => {
      const signature = account.sign(keccak_256(unsigned));
      const [r, s] = [
        number(bytesToBigInt(signature.subarray(0, 32))),
        number(bytesToBigInt(signature.subarray(32, 64))),
      ];
      const recovery = BigInt(signature[64] as number);
      const v = draft.type === 0 ? BigInt(draft.chainId) * 2n + 35n + recovery : recovery;
      const bytes = encode(draft, [number(v), r, s]);
      return { hash: `0x${hex(keccak_256(bytes))}`, bytes: `0x${hex(bytes)}` };
    },
  };
}

/** Most per unit of gas, and the part of it that is the tip; the same on type 0. In wei. */
export const priceOf = (draft: EvmDraft): { readonly most: bigint; readonly tip: bigint } =>
  draft.type === 0
    ? { most: BigInt(draft.gasPrice), tip: BigInt(draft.gasPrice) }
    : { most: BigInt(draft.maxFeePerGas), tip: BigInt(draft.maxPriorityFeePerGas) };

/** The transaction with a signature's three numbers, or what is signed when there is none yet. */
function encode(draft: EvmDraft, signature: readonly Item[]): Uint8Array {
  const call: Item[] = [number(BigInt(draft.gasLimit)), fromHex(draft.to), number(0n), fromHex(draft.data)];
  const [chainId, nonce] = [number(BigInt(draft.chainId)), number(BigInt(draft.nonce))];
  if (draft.type === 0) {
    const ending = signature.length > 0 ? signature : [chainId, number(0n), number(0n)];
    return rlp([nonce, number(BigInt(draft.gasPrice)), ...call, ...ending]);
  }
  const fees = [number(BigInt(draft.maxPriorityFeePerGas)), number(BigInt(draft.maxFeePerGas))];
  return Buffer.concat([Uint8Array.of(2), rlp([chainId, nonce, ...fees, ...call, [], ...signature])]);
}

/** RLP, as of the Ethereum yellow paper, appendix B. */
function rlp(item: Item): Uint8Array {
  if (item instanceof Uint8Array) {
    return item.length === 1 && (item[0] as number) < 0x80 ? item : Buffer.concat([head(0x80, item.length), item]);
  }
  const body = Buffer.concat(item.map(rlp));
  return Buffer.concat([head(0xc0, body.length), body]);
}

function head(offset: number, length: number): Uint8Array {
  if (length < 56) return Uint8Array.of(offset + length);
  const size = number(BigInt(length));
  return Uint8Array.of(offset + 55 + size.length, ...size);
}

/** Big-endian without leading zeros; zero is empty. */
function number(value: bigint): Uint8Array {
  if (value === 0n) return new Uint8Array();
  const digits = value.toString(16);
  return Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
}

const bytesToBigInt = (bytes: Uint8Array): bigint => BigInt(`0x${hex(bytes)}`);
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const fromHex = (text: string): Uint8Array => Buffer.from(text.slice(2), 'hex');
