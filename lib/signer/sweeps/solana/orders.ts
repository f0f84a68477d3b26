// Formats of sweeps on Solana on the signer's socket. Amounts and prices are decimal text. Every object is strict. No field carries a
// transaction or a recipient: the signer derives them from the index, the mint and the treasury of its settings. A token account can be
// named only as the source of a transfer that the key of a deposit address signs.

import { z } from 'zod';
import { MOST_DEPOSITS } from '@/lib/networks/families/solana/sweeping/sweep-transaction';
import { chain, decimal, index } from '@/lib/signer/sweeps/order-fields';

/** No transaction may use more compute units. */
const MOST_UNITS = 1_400_000;
const MOST_AMOUNT = 1n << 64n;

const key = z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/);
const uint64 = decimal(20).refine((text) => /^[0-9]{1,20}$/.test(text) && BigInt(text) < MOST_AMOUNT);
/**
 * `account`: another token account of the deposit address than its associated one. The token program moves nothing from an account of
 * anyone else, and what it moves goes to the treasury.
 */
const deposit = z.strictObject({
  index,
  amount: uint64.refine((text) => text !== '0'),
  account: key.optional(),
});

/**
 * `deploy` opens the treasury's account of a token. `batch` moves exactly these amounts from deposit addresses to it, and with `close`
 * closes their accounts, whose rent the sponsor gets.
 */
const solanaTransaction = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('deploy'), contract: key }),
  z.strictObject({
    kind: z.literal('batch'),
    contract: key,
    deposits: z
      .array(deposit)
      .min(1)
      .max(MOST_DEPOSITS)
      .refine((all) => new Set(all.map((one) => one.index)).size === all.length),
    close: z.boolean(),
  }),
]);
export type SolanaSweepOrder = z.output<typeof solanaTransaction>;

/** `unitPrice` in micro-lamports. */
export const solanaSweepParams = z.strictObject({
  ...chain,
  blockhash: key,
  unitLimit: z.int().min(1).max(MOST_UNITS),
  unitPrice: uint64,
  transaction: solanaTransaction,
});
export type SolanaSweepParams = z.output<typeof solanaSweepParams>;

/** `bytes` is what is broadcast, in base64: at most 1,232 bytes. */
export const solanaSignedSweep = z.strictObject({
  from: key,
  hash: z.string().regex(/^[1-9A-HJ-NP-Za-km-z]{64,88}$/),
  bytes: z.base64().max(1700),
});
