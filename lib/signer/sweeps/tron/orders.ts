// Formats of sweeps on TRON on the signer's socket. Amounts are decimal text. Every object is strict. No field carries a
// transaction or a recipient of tokens: the signer builds every transaction itself.

import { z } from 'zod';
import { MAX_ENERGY_EACH, MAX_SALTS } from '@/lib/networks/families/tron/sweeping/forwarders';
import { chain, decimal, index } from '@/lib/signer/sweeps/order-fields';

const address = z.string().regex(/^T[1-9A-HJ-NP-Za-km-z]{33}$/);
const hex = (digits: number) => z.string().regex(new RegExp(`^[0-9a-f]{${digits}}$`));
/** Above 0, and exact in every reader of the transaction. */
const sun = decimal(15).refine((text) => text !== '0');
const amount = decimal(78).refine(
  (text) => /^[0-9]{1,78}$/.test(text) && BigInt(text) > 0n && BigInt(text) < 1n << 256n,
);
const milliseconds = z.int().min(1).max(Number.MAX_SAFE_INTEGER);

/**
 * From the sponsor: `activate` creates the account of a deposit address, `top_up` sends it coin (sun), `delegate` lends it
 * energy of a stake (sun), and `undelegate` takes that back. `transfer` moves tokens of the address to the treasury and is
 * paid by the address. `flush`, from the sponsor, moves all that the forwarders of a contract hold of a token to the treasury, which
 * is part of the contract's code.
 */
const tronTransaction = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('activate'), index }),
  z.strictObject({ kind: z.literal('top_up'), index, amount: sun }),
  z.strictObject({ kind: z.literal('delegate'), index, balance: sun }),
  z.strictObject({ kind: z.literal('undelegate'), index, balance: sun }),
  z.strictObject({ kind: z.literal('transfer'), index, contract: address, amount }),
  z.strictObject({
    kind: z.literal('flush'),
    /** The contract of the forwarders. */
    factory: address,
    contract: address,
    /** Energy that each forwarder may use. */
    energyEach: z.int().min(1).max(MAX_ENERGY_EACH),
    /** The EVM addresses of the indexes of the deposit addresses. */
    salts: z
      .array(z.string().regex(/^0x[0-9a-f]{40}$/))
      .min(1)
      .max(MAX_SALTS)
      .refine((salts) => new Set(salts).size === salts.length),
  }),
]);
export type TronSweepOrder = z.output<typeof tronTransaction>;

/** The block that the transaction refers to, its times in milliseconds, and the most sun that the energy of a transfer may take. */
export const tronSweepParams = z.strictObject({
  ...chain,
  refBlockBytes: hex(4),
  refBlockHash: hex(16),
  expiration: milliseconds,
  timestamp: milliseconds,
  feeLimit: decimal(12),
  transaction: tronTransaction,
});
export type TronSweepParams = z.output<typeof tronSweepParams>;

/** `bytes` is what is broadcast: about 2,300 digits for twenty forwarders. Hex without 0x. */
export const tronSignedSweep = z.strictObject({
  from: address,
  hash: hex(64),
  bytes: z
    .string()
    .max(4000)
    .regex(/^(?:[0-9a-f]{2})+$/),
});
