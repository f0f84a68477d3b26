// Formats of the sweep calls on the signer's socket. Amounts, prices and gas limits are decimal text, addresses lower
// case. Every object is strict. No field carries a transaction or a recipient of tokens: the signer builds every
// transaction itself, and tokens go to the treasury of its own settings.

import { z } from 'zod';
import type { Authorization as EvmAuthorization } from '@/lib/networks/families/evm/sweeping/sweep-transaction';
import { chain, decimal, index } from './order-fields';
import { solanaSignedSweep, solanaSweepParams, type SolanaSweepParams } from './solana/orders';
import { tronSignedSweep, tronSweepParams, type TronSweepParams } from './tron/orders';

/** One transaction's gas must not exceed the gas of a block; a hundred addresses take about five million. */
export const MAX_GAS_EACH = 1_000_000;
/** The most deposit addresses of one transaction. */
export const MAX_DEPOSITS = 100;
/**
 * Account nonces of deposit addresses in authorizations. Each new delegation of an address takes the next one, so
 * higher nonces are a fault.
 */
export const MAX_AUTHORIZATION_NONCE = 8;

const wei = decimal(30);
/** A 256-bit number above 0. */
const amount = decimal(78).refine(
  (text) => /^[0-9]{1,78}$/.test(text) && BigInt(text) > 0n && BigInt(text) < 1n << 256n,
);
const address = z.string().regex(/^0x[0-9a-f]{40}$/);
const word = z.string().regex(/^0x[0-9a-f]{64}$/);

/** An EIP-7702 authorization: the deposit address that signed it runs the code of `address`. */
const authorization = z.strictObject({
  chainId: z.int().min(1),
  address,
  nonce: z.int().min(0).max(MAX_AUTHORIZATION_NONCE),
  yParity: z.literal([0, 1]),
  r: word,
  s: word,
}) satisfies z.ZodType<EvmAuthorization>;
export type Authorization = z.output<typeof authorization>;

/** `nonce`: the account nonce of the deposit address of `index`. */
export const authorizeParams = z.strictObject({ ...chain, index, nonce: authorization.shape.nonce });
export type AuthorizeParams = z.output<typeof authorizeParams>;
export const authorizeResult = z.strictObject({ deposit: address, authorization });

/**
 * `deploy` creates the delegate and `batch` calls it, for a token of the network, at these deposit addresses. `top_up`
 * sends coin (wei) to a deposit address, so that it can pay for `transfer`, its own token transfer to the treasury.
 */
const evmTransaction = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('deploy') }),
  z.strictObject({
    kind: z.literal('batch'),
    contract: address,
    /** Gas that each deposit address may use. */
    gasEach: z.int().min(1).max(MAX_GAS_EACH),
    deposits: z.array(address).min(1).max(MAX_DEPOSITS),
    /** Of those deposit addresses that do not delegate yet. */
    authorizations: z.array(authorization).max(MAX_DEPOSITS),
  }),
  z.strictObject({ kind: z.literal('top_up'), index, amount }),
  z.strictObject({ kind: z.literal('transfer'), index, contract: address, amount }),
]);
export type EvmSweepOrder = z.output<typeof evmTransaction>;

/** `nonce`: the account nonce of the sponsor, or of the deposit address in a `transfer`. Prices in wei per gas. */
const evmSweepParams = z.strictObject({
  ...chain,
  nonce: z.int().min(0),
  maxFeePerGas: wei,
  maxPriorityFeePerGas: wei,
  gasLimit: decimal(10),
  transaction: evmTransaction,
});
export type EvmSweepParams = z.output<typeof evmSweepParams>;

/** The fields besides the transaction differ between the families of networks. */
export const sweepParams = z.union([evmSweepParams, solanaSweepParams, tronSweepParams]);
export type SweepParams = EvmSweepParams | SolanaSweepParams | TronSweepParams;

/** `bytes` is what is broadcast, in hex with 0x: at most 26,300 characters for a hundred authorizations. */
const evmSignedSweep = z.strictObject({
  from: address,
  hash: word,
  bytes: z
    .string()
    .max(60_000)
    .regex(/^0x[0-9a-f]+$/),
});
export const signedSweep = z.union([evmSignedSweep, solanaSignedSweep, tronSignedSweep]);
export type SignedSweep = z.output<typeof signedSweep>;

/** An address of any family, as the database stores it. */
const anyAddress = z.union([address, solanaSignedSweep.shape.from, tronSignedSweep.shape.from]);

/** A network with a treasury, named as in the settings (`ethereum@mainnet`). Fees in the smallest unit of its coin. */
export const sweepState = z.strictObject({
  network: z.string().max(64),
  environment: chain.environment,
  treasury: anyAddress,
  sponsor: anyAddress,
  spareSponsor: anyAddress,
  /** The address of the sponsor that signs now. */
  active: anyAddress,
  /** The contract that deposit addresses delegate to; null where they need none. */
  delegate: address.nullable(),
  /** The contracts of forwarders, the one for new addresses first. Absent without any, and from signers of older versions. */
  forwarders: z.array(tronSignedSweep.shape.from).max(20).optional(),
  feesPerHour: decimal(40),
  feesLastHour: decimal(40),
});
export type SweepState = z.output<typeof sweepState>;

/** Transactions of which the caller wants to know whether they were signed for sweeps. */
export const signedSweepsParams = z.strictObject({ hashes: z.array(z.string().max(100)).max(100) });
export const signedSweepsResult = z.strictObject({ signed: z.array(z.string().max(100)).max(100) });
