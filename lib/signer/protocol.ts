// What is said on the signer's socket: one JSON object per line, each answered by one line with the same id. The limits hold
// on both sides, so neither can make the other collect without end.

import { z } from 'zod';
import { signed } from './orders';

/**
 * A request is a few numbers, or an order with its draft: under three KiB with the longest Solana message. Two passkey signatures
 * add under eight KiB with the longest credential ids and RSA keys.
 */
export const MOST_REQUEST_BYTES = 12_288;
/** An answer is at most 200 addresses of under 200 bytes, or 60 attempts of under 1,000 (EVM, where there can be many). */
export const MOST_ANSWER_BYTES = 65_536;

const id = z.string().min(1).max(64);

export const request = z.strictObject({ id, call: z.string().max(64), params: z.record(z.string(), z.unknown()) });

/**
 * Why a payment is not signed. `frozen`: until a person unfreezes the signer. `not_allowed`: not a token, network or
 * destination of its settings. `evidence`: nobody who may vouches for the destination. `limit`: above a limit. `approval`: it
 * needs the passkey signatures of two operators and came without two that hold. `draft`: not
 * exactly the order's transfer. `conflict`: the intent has another order or an attempt that may still land. `nonce`: not the
 * next nonce of the wallet, see `state`. `released`: the intent ended. `used`: a deposit
 * address that was given before.
 */
export const REFUSAL_CODES = [
  'frozen',
  'not_allowed',
  'evidence',
  'limit',
  'approval',
  'draft',
  'conflict',
  'nonce',
  'released',
  'used',
] as const;
export type RefusalCode = (typeof REFUSAL_CODES)[number];

/** `invalid_request`: not understood or out of bounds. `unknown_call`: no such call. `failed`: the signer's own fault. */
const errorCode = z.enum(['invalid_request', 'unknown_call', 'failed', ...REFUSAL_CODES]);
export type SignerErrorCode = z.output<typeof errorCode>;

export const answer = z.union([
  z.strictObject({ id, result: z.unknown() }),
  z.strictObject({ id: id.nullable(), error: z.strictObject({ code: errorCode, message: z.string() }) }),
]);

export const fingerprintResult = z.strictObject({
  mode: z.literal('seed'),
  fingerprint: z.string().regex(/^[0-9a-f]{64}$/),
  /** Indexes below this can be asked for. */
  capacity: z.int().min(1),
  /** The highest index that was ever given; -1 for none. */
  highest: z.int().min(-1),
});

export const addressesResult = z.strictObject({
  fingerprint: fingerprintResult.shape.fingerprint,
  addresses: z.array(
    z.strictObject({
      index: z.int().min(0),
      evm: z.string().regex(/^0x[0-9a-f]{40}$/),
      tron: z.string().regex(/^T[1-9A-HJ-NP-Za-km-z]{33}$/),
      solana: z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/),
    }),
  ),
});

export const ownsResult = z.strictObject({ owns: z.boolean() });

const count = z.int().min(0);
/** Sixteen digits: 10^15 turns approvals off. */
const cents = z.string().regex(/^[0-9]{1,16}$/);
const limits = z.strictObject({ perRefund: cents, perHour: cents, perDay: cents });
const head = z.string().regex(/^[0-9a-f]{64}$/);
const refundAddresses = z.strictObject({
  evm: addressesResult.shape.addresses.element.shape.evm,
  tron: addressesResult.shape.addresses.element.shape.tron,
  solana: addressesResult.shape.addresses.element.shape.solana,
});

/** `journal` is for comparing with the database: its last record's hash and how many of what it holds. `bytes` of all `segments` (closed ones) and
 * of the open one, `freeBytes` on its disk, `trouble`: what keeps it from being written or closed now. */
export const stateResult = z.strictObject({
  /** In cents, as decimal text. */
  limits: limits.extend({ claims: limits, approvalAbove: cents }),
  /** Whether approvals need passkey signatures, and whether the claim limits apply. */
  guarded: z.strictObject({ live: z.boolean(), test: z.boolean() }),
  wallets: z.strictObject({ live: refundAddresses, test: refundAddresses }),
  frozen: z.boolean(),
  reason: z.string().nullable(),
  /** Whether somebody wrote the wallet's words down (`words` at the signer's terminal). A signer of a former version does not say. */
  wordsConfirmed: z.boolean().optional(),
  journal: z.strictObject({
    head,
    records: count,
    intents: count,
    attempts: count,
    released: count,
    bytes: count,
    segments: count,
    freeBytes: count,
    trouble: z.string().nullable(),
  }),
  /** By network as in the settings (`ethereum@mainnet`): the nonce that the next new intent must use, once one was used. */
  nextNonces: z.record(z.string(), count),
});
export type SignerState = z.output<typeof stateResult>;

/** Whether the signer is frozen after the call. */
export const freezeResult = z.strictObject({ frozen: z.boolean() });
export const releaseResult = z.strictObject({ released: z.boolean() });
export const attemptsResult = z.strictObject({
  /** `at`: when it was signed, in milliseconds; a signer of a former version does not say. */
  attempts: z.array(signed.extend({ bytes: signed.shape.bytes.nullable(), at: count.optional() })).max(100),
});
/** A signed attempt as the signer remembers it; `bytes` is null while the signer is frozen. */
export type KnownAttempt = z.output<typeof attemptsResult>['attempts'][number];
