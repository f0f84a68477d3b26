// The transactions of a sweep on TRON (protocol/core/Tron.proto and core/contract). The signer builds and signs them from named fields
// and never signs bytes that it was given. Pure and free of chain SDKs, because the signer loads it.

import { sha256 } from '@noble/hashes/sha2.js';
import { transferData } from '@/lib/networks/families/evm/transfer-data';
import { addressBytes } from '@/lib/networks/families/tron/address';
import { FLUSH_SELECTOR, flushParameters } from './forwarders';
import { encodeFields, type Field } from '@/lib/networks/families/tron/protobuf';

/** Addresses in base58check, TRX amounts and stakes in sun. */
export type SweepContract =
  /** Creates an account, which gets no coin. */
  | { readonly kind: 'activate'; readonly owner: string; readonly account: string }
  | { readonly kind: 'coin'; readonly owner: string; readonly to: string; readonly amount: bigint }
  | {
      readonly kind: 'token';
      readonly owner: string;
      readonly contract: string;
      readonly to: string;
      readonly amount: bigint;
    }
  /** Moves a token of the forwarders of a contract to the treasury in its code. */
  | {
      readonly kind: 'flush';
      readonly owner: string;
      readonly factory: string;
      readonly contract: string;
      readonly energyEach: bigint;
      /** EVM addresses in lower case with 0x. */
      readonly salts: readonly string[];
    }
  /** Lends the energy of a stake, without a lock, or takes it back. */
  | {
      readonly kind: 'delegate' | 'undelegate';
      readonly owner: string;
      readonly receiver: string;
      readonly balance: bigint;
    };

/** Hex without 0x; `expiration` and `timestamp` in milliseconds; `feeLimit` in sun. */
export type SweepTerms = {
  readonly refBlockBytes: string;
  readonly refBlockHash: string;
  readonly expiration: number;
  readonly timestamp: number;
  readonly feeLimit: bigint;
};

const RAW = { refBlockBytes: 1, refBlockHash: 4, expiration: 8, contract: 11, timestamp: 14, feeLimit: 18 } as const;
const ENERGY = 1n;
const SIGNATURE_BYTES = 65;
/** java-tron reserves this for the result that it adds to a transaction (Constant.MAX_RESULT_SIZE_IN_TX). */
const RESULT_BYTES = 64;

const fromHex = (hex: string): Uint8Array => Buffer.from(hex, 'hex');
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const account = (address: string): Uint8Array => fromHex(`41${addressBytes(address)}`);
/** Fields numbered from 1; null for one that is left out. */
const numbered = (values: readonly (bigint | Uint8Array | null)[]): readonly Field[] =>
  values.flatMap((value, at) => (value === null ? [] : [{ number: at + 1, value }]));

/** The number and the name of a contract's type, and its fields in their order. */
function partsOf(contract: SweepContract): readonly [bigint, string, readonly (bigint | Uint8Array | null)[]] {
  const owner = account(contract.owner);
  switch (contract.kind) {
    case 'activate':
      return [0n, 'AccountCreateContract', [owner, account(contract.account)]];
    case 'coin':
      return [1n, 'TransferContract', [owner, account(contract.to), contract.amount]];
    case 'token': {
      const data = fromHex(transferData(addressBytes(contract.to), contract.amount));
      return [31n, 'TriggerSmartContract', [owner, account(contract.contract), null, data]];
    }
    case 'flush': {
      const data = FLUSH_SELECTOR + flushParameters(contract.contract, contract.energyEach, contract.salts);
      return [31n, 'TriggerSmartContract', [owner, account(contract.factory), null, fromHex(data)]];
    }
    case 'delegate':
      return [57n, 'DelegateResourceContract', [owner, ENERGY, contract.balance, account(contract.receiver)]];
    case 'undelegate':
      return [58n, 'UnDelegateResourceContract', [owner, ENERGY, contract.balance, account(contract.receiver)]];
    default:
      return contract satisfies never;
  }
}

/** The bytes of `raw_data`. */
function rawData(contract: SweepContract, terms: SweepTerms): Uint8Array {
  const [type, name, fields] = partsOf(contract);
  const parameter = [Buffer.from(`type.googleapis.com/protocol.${name}`), encodeFields(numbered(fields))];
  return encodeFields([
    { number: RAW.refBlockBytes, value: fromHex(terms.refBlockBytes) },
    { number: RAW.refBlockHash, value: fromHex(terms.refBlockHash) },
    { number: RAW.expiration, value: BigInt(terms.expiration) },
    { number: RAW.contract, value: encodeFields(numbered([type, encodeFields(numbered(parameter))])) },
    { number: RAW.timestamp, value: BigInt(terms.timestamp) },
    { number: RAW.feeLimit, value: terms.feeLimit },
  ]);
}

/** The digest that the owner's key signs, and the transaction that the signature (r, s and recovery) completes; hex without 0x. */
export function tronSweepSigning(
  contract: SweepContract,
  terms: SweepTerms,
): {
  readonly payload: Uint8Array;
  /** Bytes that the signed transaction takes of the owner's bandwidth. */
  readonly bandwidth: number;
  readonly finish: (signature: Uint8Array) => { readonly hash: string; readonly bytes: string };
} {
  const raw = rawData(contract, terms);
  const payload = sha256(raw);
  return {
    payload,
    bandwidth: signed(raw, new Uint8Array(SIGNATURE_BYTES)).length + RESULT_BYTES,
    finish: (signature) => {
      if (signature.length !== SIGNATURE_BYTES) throw new Error('no signature of a TRON account');
      return { hash: hexOf(payload), bytes: hexOf(signed(raw, signature)) };
    },
  };
}

const signed = (raw: Uint8Array, signature: Uint8Array): Uint8Array => encodeFields(numbered([raw, signature]));
