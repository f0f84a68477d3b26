// The signer's socket protocol: one JSON object per line, and one response line with the same id per request. Both
// sides enforce the size limits, so neither can exhaust the other's memory.

import { z } from 'zod';
import { signed } from './orders';
import { sweepState } from './sweeps/orders';

/**
 * A request is a few numbers, an order with its draft, a batch, or a sweep. An order is under three KiB with the longest
 * Solana message, and two passkey signatures add under eight KiB with the longest credential ids and RSA keys. A sweep of
 * a hundred addresses with their authorizations is under thirty KiB, and a batch of fifty orders under sixty.
 */
export const MAX_REQUEST_BYTES = 65_536;
/**
 * A response has at most 200 addresses of under 200 bytes, 60 attempts of under 4,100 bytes (EVM, in a batch), or a signed
 * sweep of under 27,000 bytes.
 */
export const MAX_ANSWER_BYTES = 262_144;

const id = z.string().min(1).max(64);

export const request = z.strictObject({ id, call: z.string().max(64), params: z.record(z.string(), z.unknown()) });

/**
 * Why a payment or a sweep is not signed.
 * `frozen`: a person has to unfreeze the signer first.
 * `not_allowed`: the settings do not allow the token, network or destination.
 * `evidence`: the watcher's attestation of the destination is missing or wrong.
 * `limit`: above a limit, also of the deposit addresses that may be skipped.
 * `approval`: it needs valid passkey signatures of two operators.
 * `draft`: not exactly the order's transfer.
 * `conflict`: the intent has another order, or an attempt that may still land.
 * `nonce`: not the wallet's next nonce, see `state`.
 * `released`: the intent is closed.
 * `used`: the deposit address was given before.
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

/**
 * `invalid_request`: malformed or out of bounds. `unknown_call`: no such call. `failed`: the signer's own fault. `unavailable`: its HSM is
 * away; the same call may succeed later.
 */
const errorCode = z.enum(['invalid_request', 'unknown_call', 'failed', 'unavailable', ...REFUSAL_CODES]);
export type SignerErrorCode = z.output<typeof errorCode>;

export const answer = z.union([
  z.strictObject({ id, result: z.unknown() }),
  z.strictObject({ id: id.nullable(), error: z.strictObject({ code: errorCode, message: z.string() }) }),
]);

export const fingerprintResult = z.strictObject({
  mode: z.literal('seed'),
  fingerprint: z.string().regex(/^[0-9a-f]{64}$/),
  /** Indexes below this can be requested. */
  capacity: z.int().min(1),
  /** The highest index ever given; -1 for none. */
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

/**
 * `journal` lets the worker compare the database: the last record's hash and the number of records and intents. `bytes`
 * counts all closed `segments` and the open one, `freeBytes` is the free space on its disk, and `trouble` says why it
 * cannot be written or closed now.
 */
export const stateResult = z.strictObject({
  /**
   * In cents, as decimal text. `payouts`: absent from signers of older versions. `payoutApprovalAbove`: absent without payouts. `cold`:
   * absent without a cold wallet.
   */
  limits: limits.extend({
    claims: limits,
    approvalAbove: cents,
    payouts: limits.optional(),
    payoutApprovalAbove: cents.optional(),
    cold: limits.optional(),
  }),
  /** Whether approvals need passkey signatures, and whether the claim limits apply. */
  guarded: z.strictObject({ live: z.boolean(), test: z.boolean() }),
  wallets: z.strictObject({ live: refundAddresses, test: refundAddresses }),
  frozen: z.boolean(),
  reason: z.string().nullable(),
  /**
   * Whether a person confirmed the backup words (`words` at the signer's terminal). Absent from signers of older
   * versions.
   */
  wordsConfirmed: z.boolean().optional(),
  /** Whether the journal was copied from another machine, whose signer may sign. Absent from signers of older versions. */
  moved: z.boolean().optional(),
  /** Why no key of the HSM could be used at the last call, or null. Absent without SIGNER_HSM_KEYS. */
  hsm: z.string().max(1000).nullable().optional(),
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
  /**
   * By network as in the settings (`ethereum@mainnet`): the nonce that the next new intent must use, once one was used.
   */
  nextNonces: z.record(z.string(), count),
  /** The cold wallets by network (`ethereum@mainnet`). Absent without SIGNER_COLD_WALLETS. */
  coldWallets: z.record(z.string(), z.string().max(100)).optional(),
  /** Where it signs batches of payouts, by network: the most that the contract may move of each token, in base units. Absent without any. */
  batches: z.record(z.string(), z.record(z.string(), z.string().regex(/^[0-9]{1,40}$/))).optional(),
  /** How many account nonces changes of allowances have used, by network, of the wallets of `wallets`. Absent without any. */
  allowanceNonces: z.record(z.string(), count).optional(),
  /** The networks that it sweeps on. Absent without SIGNER_TREASURY_WALLETS, and from signers of older versions. */
  sweeps: z.array(sweepState).max(100).optional(),
});
export type SignerState = z.output<typeof stateResult>;

/** Whether the signer is frozen after the call. */
export const freezeResult = z.strictObject({ frozen: z.boolean() });
export const releaseResult = z.strictObject({ released: z.boolean() });
export const attemptsResult = z.strictObject({
  /** `at`: when it was signed, in milliseconds. Absent from signers of older versions. */
  attempts: z
    .array(
      signed.extend({
        bytes: signed.shape.bytes.nullable(),
        at: count.optional(),
        /** Of an item of a batch: its place. */
        item: count.optional(),
      }),
    )
    .max(100),
});
/** A signed attempt in the signer's journal. `bytes` is null while the signer is frozen. */
export type KnownAttempt = z.output<typeof attemptsResult>['attempts'][number];
