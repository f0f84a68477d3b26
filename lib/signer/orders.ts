// Formats of the signer's socket: orders, drafts made by the worker, signed payloads, and the watcher's attestations.
// Amounts are base units in decimal text. Every object is strict, so the signer refuses an unknown field.

import { z } from 'zod';
import { MAX_BATCH } from '@/lib/networks/families/evm/batching/payout-batch';
import type { Draft, Validity } from '@/lib/networks/sending/send';
import { signedApproval } from '@/lib/signer/attestations/refund-approval';
import type { Evidence, Outcome } from '@/lib/signer/attestations/refund-evidence';

/** Digits of the largest 256-bit number. */
const MAX_DIGITS = 78;
const decimal = (digits: number) =>
  z
    .string()
    .max(digits)
    .regex(/^(0|[1-9][0-9]*)$/);
/** Visible ASCII without quotes or backslashes, so that an identity has one encoding and needs no escaping. */
const name = z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,128}$/);
/** As in lib/networks/sending/send.ts. A Solana payment carries it as its memo. */
export const intentId = z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/);
const address = z.string().regex(/^[0-9A-Za-z]{26,44}$/);
const mac = z.string().regex(/^[0-9a-f]{64}$/);
const environment = z.enum(['live', 'test']);
const currency = z.enum(['USDT', 'USDC']);

/** lib/signer/attestations/refund-evidence.ts says what each field means. */
const evidence = z.strictObject({
  kind: z.enum(['payer', 'claim', 'payout', 'cold']),
  session: name,
  network: name,
  address,
  reference: name,
  mostCents: decimal(MAX_DIGITS),
  mac,
}) satisfies z.ZodType<Evidence>;

/** Unsigned bytes of an EVM transaction. A batch of fifty payouts has less than 1,900 bytes. */
const unsignedEvm = z
  .string()
  .max(4096)
  .regex(/^0x([0-9a-f]{2})+$/);
const wei = decimal(30);

/** A decided refund, payout or cold transfer with the evidence for its destination. */
export const refundOrder = z.strictObject({
  intentId,
  environment,
  network: name,
  currency,
  contract: address,
  to: address,
  amount: decimal(MAX_DIGITS),
  evidence,
});

const drafted = { intentId, from: address };

/** A draft as in lib/networks/sending/send.ts. The signer reads what it pays from `unsigned` alone. */
export const draft = z.discriminatedUnion('family', [
  z.strictObject({
    family: z.literal('evm'),
    ...drafted,
    unsigned: unsignedEvm,
    /** Of an item of a batch: its place. */
    item: z
      .int()
      .min(0)
      .max(MAX_BATCH - 1)
      .optional(),
  }),
  z.strictObject({
    family: z.literal('tron'),
    ...drafted,
    unsigned: z
      .string()
      .max(1024)
      .regex(/^([0-9a-f]{2})+$/),
  }),
  z.strictObject({
    family: z.literal('solana'),
    ...drafted,
    unsigned: z.base64().min(1).max(1644),
    /** The node returned it with the block hash. The message itself does not contain its validity. */
    lastValidBlockHeight: z.int().min(1),
  }),
]) satisfies z.ZodType<Draft>;

/** EVM: valid while the nonce is unused. TRON: until a time in Unix seconds. Solana: until a block height. */
const validity = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('nonce'), nonce: z.int().min(0) }),
  z.strictObject({ kind: z.literal('time'), expiresAt: z.int().min(0) }),
  z.strictObject({ kind: z.literal('height'), lastValidBlockHeight: z.int().min(0) }),
]) satisfies z.ZodType<Validity>;

/** `bytes` is what is broadcast: EVM 0x hex, TRON the hex of the whole transaction, Solana base64. */
export const signed = z.strictObject({ hash: z.string().max(100), bytes: z.string().max(4096), validity });

/** lib/signer/attestations/refund-evidence.ts says what each field means. */
export const outcome = z.strictObject({
  intentId,
  network: name,
  hash: z
    .string()
    .max(100)
    .regex(/^[0-9A-Za-z]+$/),
  outcome: z.enum(['lapsed', 'reverted']),
  finalized: z.int().min(0),
  mac,
}) satisfies z.ZodType<Outcome>;

export type RefundOrder = z.output<typeof refundOrder>;
export type Signed = z.output<typeof signed>;

/**
 * The parameters of `sign`. `lapsed` is required for an attempt that follows one that can no longer land, and
 * `approvals` for a payment that needs the approval of two operators.
 */
export const signParams = z.strictObject({
  order: refundOrder,
  draft,
  lapsed: outcome.optional(),
  approvals: z.array(signedApproval).max(2).optional(),
});
export type SignParams = z.output<typeof signParams>;

/** The parameters of `sign-batch`: the orders in the order of the items that the bytes pay. */
export const batchParams = z.strictObject({
  orders: z.array(refundOrder).min(1).max(MAX_BATCH),
  from: address,
  unsigned: unsignedEvm,
});
export type BatchParams = z.output<typeof batchParams>;

/**
 * The parameters of `allow`: the terms of a transaction that raises the allowance of the contract of batches to the amount of the signer's
 * settings, or lowers it to zero (`reset`), which some tokens need before. Prices are wei per gas.
 */
export const allowParams = z.strictObject({
  environment,
  network: name,
  currency,
  reset: z.boolean(),
  nonce: z.int().min(0),
  maxFeePerGas: wei,
  maxPriorityFeePerGas: wei,
  gasLimit: wei,
});
export type AllowParams = z.output<typeof allowParams>;

/** The last transaction of a network that changed an allowance. `at` in milliseconds. `bytes`: null while the signer is frozen. */
export const lastAllowance = z.strictObject({
  params: allowParams,
  hash: signed.shape.hash,
  bytes: signed.shape.bytes.nullable(),
  at: z.int().min(0),
});
export type LastAllowance = z.output<typeof lastAllowance>;
