// What the signer is asked to pay and what it answers, as it travels on the socket: orders, drafts made by the worker, signed
// payloads, and the statements of the watcher that go with them. Amounts are base units in decimal text. Every object is
// strict: a field that is not known here is a refusal, not an extra.

import { z } from 'zod';

/** Digits of the largest 256-bit number. */
const MOST_DIGITS = 78;
const decimal = (digits: number) =>
  z
    .string()
    .max(digits)
    .regex(/^(0|[1-9][0-9]*)$/);
/** Visible ASCII without quotes or backslashes, so that an identity has one spelling and needs no escaping. */
const name = z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,128}$/);
const address = z.string().regex(/^[0-9A-Za-z]{26,44}$/);
const mac = z.string().regex(/^[0-9a-f]{64}$/);
const environment = z.enum(['live', 'test']);
const currency = z.enum(['USDT', 'USDC']);

/**
 * Why an address may be paid. Made by the watcher process with a key that web does not have: `payer` for the sender of a
 * recorded transfer, `claim` for an address that the customer confirmed. `reference` names the transfer or the claim;
 * `mostCents` is all that may ever be refunded of the session.
 */
export const evidence = z.strictObject({
  kind: z.enum(['payer', 'claim']),
  session: name,
  network: name,
  address,
  reference: name,
  mostCents: decimal(15),
  mac,
});

export const paymentOrder = z.strictObject({
  intentId: name,
  environment,
  network: name,
  currency,
  contract: address,
  to: address,
  amount: decimal(MOST_DIGITS),
  evidence,
});

const legacyFee = z.strictObject({
  family: z.literal('evm'),
  chainId: z.int().min(1),
  type: z.literal(0),
  nonce: z.int().min(0),
  gasLimit: decimal(20),
  gasPrice: decimal(30),
  to: z.string().regex(/^0x[0-9a-f]{40}$/),
  data: z.string().regex(/^0x[0-9a-f]{136}$/),
});

export const draft = z.union([
  legacyFee,
  legacyFee
    .omit({ gasPrice: true })
    .extend({ type: z.literal(2), maxFeePerGas: decimal(30), maxPriorityFeePerGas: decimal(30) }),
  z.strictObject({
    family: z.literal('tron'),
    rawDataHex: z
      .string()
      .max(1024)
      .regex(/^([0-9a-f]{2})+$/),
  }),
  z.strictObject({
    family: z.literal('solana'),
    messageBase64: z.base64().max(1644),
    /** What the node said with the block hash; a message does not say until when it is valid. */
    lastValidBlockHeight: z.int().min(1),
  }),
]);

/** EVM: as long as the nonce is unused. TRON: up to a time in milliseconds. Solana: up to a block height. */
export const validity = z.union([
  z.strictObject({ kind: z.literal('nonce'), nonce: z.int().min(0) }),
  z.strictObject({ kind: z.literal('time'), expiresAt: z.int().min(0) }),
  z.strictObject({ kind: z.literal('height'), lastValidBlockHeight: z.int().min(0) }),
]);

/** `bytes` is what is broadcast: EVM 0x hex, TRON the hex of the whole transaction, Solana base64. */
export const signed = z.strictObject({ hash: z.string().max(100), bytes: z.string().max(4096), validity });

/**
 * What became of a signed attempt, stated by the watcher from a quorum's finalized view. `lapsed`: not found, and the
 * finalized height (Solana) or time in milliseconds (TRON) in `finalized` is beyond its validity. `reverted`: found final
 * without having moved anything.
 */
export const outcome = z.strictObject({
  intentId: name,
  network: name,
  hash: z
    .string()
    .max(100)
    .regex(/^[0-9A-Za-z]+$/),
  outcome: z.enum(['lapsed', 'reverted']),
  finalized: z.int().min(0),
  mac,
});

export type Evidence = z.output<typeof evidence>;
export type PaymentOrder = z.output<typeof paymentOrder>;
export type Draft = z.output<typeof draft>;
export type EvmDraft = Extract<Draft, { family: 'evm' }>;
export type Validity = z.output<typeof validity>;
export type Signed = z.output<typeof signed>;
export type Outcome = z.output<typeof outcome>;

/** The parameters of `sign`; `lapsed` is needed only for another attempt after one that can no longer land. */
export const signParams = z.strictObject({ order: paymentOrder, draft, lapsed: outcome.optional() });
export type SignParams = z.output<typeof signParams>;
