// The transactions of a sweep: EIP-1559 without authorizations, EIP-7702 with them. The signer builds and signs them from named
// fields and never signs bytes that it was given. Pure and free of chain SDKs, because the signer loads it.

import { keccak_256 } from '@noble/hashes/sha3.js';
import { transferData } from '@/lib/networks/families/evm/transfer-data';
import { encodeRlp, integerBytes, type Rlp } from '@/lib/networks/families/evm/rlp';

/** What an authorization allows: the account that signs it runs the code of `address`. In lower case with 0x. */
type Delegation = { readonly chainId: number; readonly address: string; readonly nonce: number };

/** A signed EIP-7702 authorization. `r` and `s` have 32 bytes, in lower-case hex with 0x. */
export type Authorization = Delegation & { readonly yParity: 0 | 1; readonly r: string; readonly s: string };

/** Prices are wei per gas. `data` is hex with 0x. */
export type SweepTransaction = {
  readonly chainId: number;
  readonly nonce: number;
  readonly maxPriorityFeePerGas: bigint;
  readonly maxFeePerGas: bigint;
  readonly gasLimit: bigint;
  readonly to: string;
  readonly value: bigint;
  readonly data: string;
  readonly authorizations: readonly Authorization[];
};

/** Where a transaction goes and what it carries. */
export type SweepCall = Pick<SweepTransaction, 'to' | 'value' | 'data' | 'authorizations'>;

/** The call that moves tokens of the sender. */
export const tokenTransfer = (contract: string, to: string, amount: bigint): SweepCall => ({
  to: contract,
  value: 0n,
  data: `0x${transferData(to.slice(2), amount)}`,
  authorizations: [],
});

const [FEE_MARKET, SET_CODE] = [2, 4];
/** Separates the hash of an authorization from that of a transaction. */
const AUTHORIZATION = 5;

/** The digest that the key of the sender signs, and the transaction that the signature (r, s and recovery) completes. */
export function sweepSigning(transaction: SweepTransaction): {
  readonly payload: Uint8Array;
  readonly finish: (signature: Uint8Array) => { readonly hash: string; readonly bytes: string };
} {
  const type = transaction.authorizations.length > 0 ? SET_CODE : FEE_MARKET;
  const fields = fieldsOf(transaction);
  return {
    payload: keccak_256(typed(type, fields)),
    finish: (signature) => {
      const { yParity, r, s } = partsOf(signature);
      const bytes = typed(type, [...fields, integer(yParity), integer(r), integer(s)]);
      return { hash: hexOf(keccak_256(bytes)), bytes: hexOf(bytes) };
    },
  };
}

/** The digest that a deposit key signs, and the authorization that the signature completes. Throws for chain 0: every chain. */
export function authorizationSigning({ chainId, address, nonce }: Delegation): {
  readonly payload: Uint8Array;
  readonly finish: (signature: Uint8Array) => Authorization;
} {
  if (!Number.isSafeInteger(chainId) || chainId < 1) throw new Error('an authorization is for one chain');
  return {
    payload: keccak_256(typed(AUTHORIZATION, [integer(chainId), bytesOf(address), integer(nonce)])),
    finish: (signature) => ({ chainId, address, nonce, ...partsOf(signature) }),
  };
}

function fieldsOf(transaction: SweepTransaction): Rlp[] {
  const { chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gasLimit, to, value, data, authorizations } = transaction;
  const prices = [chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gasLimit].map(integer);
  const call = [...prices, bytesOf(to), integer(value), bytesOf(data), []];
  return authorizations.length > 0 ? [...call, authorizations.map(tupleOf)] : call;
}

const tupleOf = ({ chainId, address, nonce, yParity, r, s }: Authorization): Rlp => [
  ...[integer(chainId), bytesOf(address), integer(nonce)],
  ...[yParity, r, s].map(integer),
];

function partsOf(signature: Uint8Array): Pick<Authorization, 'yParity' | 'r' | 's'> {
  const yParity = signature[64];
  if (signature.length !== 65 || (yParity !== 0 && yParity !== 1)) throw new Error('no signature of an EVM account');
  return { yParity, r: hexOf(signature.subarray(0, 32)), s: hexOf(signature.subarray(32, 64)) };
}

const typed = (type: number, fields: readonly Rlp[]): Uint8Array =>
  Buffer.concat([Uint8Array.of(type), encodeRlp(fields)]);
const integer = (value: number | bigint | string): Uint8Array => integerBytes(BigInt(value));
const bytesOf = (hex: string): Uint8Array => Buffer.from(hex.slice(2), 'hex');
const hexOf = (bytes: Uint8Array): string => `0x${Buffer.from(bytes).toString('hex')}`;
