// What one unsigned transaction of a signing request does, read from its bytes alone: by the strict readers that the signer has too,
// which share no code with the libraries that wrote the bytes. The offline program and the online commands both use it. Pure.

import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { z } from 'zod';
import { DRAFT_FAMILIES, type Signing } from '@/lib/networks/families/drafts';
import { keyBytes } from '@/lib/networks/families/solana/address';
import { networkFee, readLastingTransfer, signedLasting } from '@/lib/networks/families/solana/sending/read-draft';
import { tronAddress } from '@/lib/networks/families/tron/address';
import { tokenOf, type NetworkSpec } from '@/lib/networks/networks';
import { BadDraft, type EvmDraft, type TronDraft } from '@/lib/networks/sending/send';

const digits = z.string().regex(/^(?:0|[1-9]\d{0,77})$/);
const text = z.string().min(1).max(100);

/** Until when the transaction may land: the account nonce (EVM), a Unix second (TRON), or the value of a nonce account (Solana). */
const validity = z.union([
  z.strictObject({ nonce: z.number().int().nonnegative() }),
  z.strictObject({ until: z.number().int().positive() }),
  z.strictObject({ nonceAccount: text, nonceValue: text }),
]);

/** One transfer of a request. All but `intent` follows from the bytes, and on EVM networks `from`, which they do not contain. */
export const itemShape = z.strictObject({
  intent: z.string().regex(/^cr_[0-9A-Za-z]{22}_[1-8]$/),
  unsigned: z.string().min(1).max(4000),
  from: text,
  to: text,
  currency: z.string().regex(/^[A-Z]{2,10}$/),
  /** Contract or mint. */
  contract: text,
  decimals: z.number().int().min(0).max(36),
  /** Base units of the token. */
  amount: digits,
  /** Wei, sun or lamports; the rent of a token account that must be opened is added to it. */
  feeCap: digits,
  validity,
});
export type Item = z.output<typeof itemShape>;

export type Unsigned = Pick<Item, 'intent' | 'unsigned' | 'from'>;

/** The item that the bytes are. Throws BadDraft for bytes that do anything but one transfer of a known token of the network. */
export function describeItem(spec: NetworkSpec, { intent, unsigned, from }: Unsigned): Item {
  const read = READERS[spec.family](unsigned, { intent, from });
  const { contract, validity: valid } = read;
  if (read.chainId !== null && read.chainId !== spec.chainId)
    throw new BadDraft(`it is for the chain ${read.chainId}, and ${spec.network} is ${String(spec.chainId)}`);
  if (read.intent !== null && read.intent !== intent) throw new BadDraft('its memo names another intent');
  const found = tokenOf(spec, contract);
  if (!found) throw new BadDraft(`it calls ${contract}, which is no token of ${spec.network} that Stabletill knows`);
  const { decimals } = found.token;
  if (read.decimals !== null && read.decimals !== decimals) throw new BadDraft('it names other decimals of its token');
  if (read.amount <= 0n) throw new BadDraft('it moves nothing');
  return {
    ...{ intent, unsigned, from: read.from, to: read.to, currency: found.currency, contract, decimals },
    ...{ amount: String(read.amount), feeCap: String(read.feeCap), validity: valid },
  };
}

/** The payload that is signed, and the transaction that a signature completes. Throws BadDraft. */
export function signingOf({ family }: NetworkSpec, item: Unsigned): Signing {
  if (family === 'evm') return DRAFT_FAMILIES.evm.signing(evmDraft(item.unsigned, item));
  if (family === 'tron') return DRAFT_FAMILIES.tron.signing(tronDraft(item.unsigned, item));
  return signedLasting(item.unsigned);
}

/** Whether the signature over the item is one of `from`. */
export function isSignedBy(spec: NetworkSpec, item: Unsigned, signature: Uint8Array): boolean {
  const { payload } = signingOf(spec, item);
  if (spec.family === 'solana') {
    const key = keyBytes(item.from);
    return key !== null && signature.length === 64 && ed25519.verify(signature, payload, key, { zip215: false });
  }
  return recoveredAddress(spec.family, payload, signature) === item.from;
}

function recoveredAddress(family: 'evm' | 'tron', digest: Uint8Array, signature: Uint8Array): string | null {
  const recovery = signature[64];
  if (signature.length !== 65 || (recovery !== 0 && recovery !== 1)) return null;
  try {
    const parsed = secp256k1.Signature.fromBytes(signature.subarray(0, 64), 'compact').addRecoveryBit(recovery);
    if (parsed.hasHighS()) return null;
    const hash = keccak_256(parsed.recoverPublicKey(digest).toBytes(false).subarray(1)).subarray(12);
    const hex = Buffer.from(hash).toString('hex');
    return family === 'evm' ? `0x${hex}` : tronAddress(hex);
  } catch {
    // The numbers are not a point of the curve.
    return null;
  }
}

type Facts = Pick<Item, 'from' | 'to' | 'contract' | 'validity'> & {
  readonly amount: bigint;
  readonly feeCap: bigint;
  /** Null where the bytes do not contain them. */
  readonly chainId: number | null;
  readonly intent: string | null;
  readonly decimals: number | null;
};

type Given = Pick<Item, 'intent' | 'from'>;
/** Solana's limit for a transaction. */
const MAX_COMPUTE_UNITS = 1_400_000;
const NOT_IN_BYTES = { chainId: null, intent: null, decimals: null } as const;

const evmDraft = (unsigned: string, { intent, from }: Given): EvmDraft => ({
  ...{ family: 'evm', intentId: intent, from, unsigned },
});
const tronDraft = (unsigned: string, { intent, from }: Given): TronDraft => ({
  ...{ family: 'tron', intentId: intent, from, unsigned },
});

const READERS: Readonly<Record<NetworkSpec['family'], (unsigned: string, given: Given) => Facts>> = {
  evm(unsigned, given) {
    const { validity: valid, ...facts } = DRAFT_FAMILIES.evm.read(evmDraft(unsigned, given));
    if (valid.kind !== 'nonce') throw new BadDraft('it has no nonce');
    return { ...NOT_IN_BYTES, ...facts, validity: { nonce: valid.nonce } };
  },
  tron(unsigned, given) {
    const { validity: valid, ...facts } = DRAFT_FAMILIES.tron.read(tronDraft(unsigned, given));
    if (valid.kind !== 'time') throw new BadDraft('it never expires');
    return { ...NOT_IN_BYTES, ...facts, validity: { until: valid.expiresAt } };
  },
  solana(unsigned) {
    const transfer = readLastingTransfer(unsigned);
    const { from, to, mint: contract, amount, decimals, memo, nonceAccount, blockhash } = transfer;
    if (transfer.unitLimit > MAX_COMPUTE_UNITS) throw new BadDraft('it may use more compute units than Solana allows');
    const feeCap = networkFee(transfer);
    const valid = { nonceAccount, nonceValue: blockhash };
    return { from, to, contract, amount, feeCap, decimals, chainId: null, intent: memo, validity: valid };
  },
};
