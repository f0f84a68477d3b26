// The calls that the signer answers, as a table: a name, what may be asked, and what is done. There is no call that signs
// what it is given, and there must never be one: `sign` signs an order's own transfer or refuses. Nothing here unfreezes.

import { z } from 'zod';
import { crashpoint } from '@/lib/platform/crash-point';
import { areAllOf, MOST_ADDRESSES } from '@/lib/treasury/wallets/address-source';
import { INDEX_LIMIT, type AddressKeys } from '@/lib/treasury/wallets/derivation';
import { deriveRange } from '@/lib/treasury/wallets/derive-range';
import { journalParams } from './journal/page';
import { intentId, outcome, signParams, type Signed, type SignParams } from './orders';
import type { addressesResult, fingerprintResult, ownsResult } from './protocol';
import type { RefundSigner } from './refund-signer';

/** Answers one question, or null when its parameters are out of bounds. */
export type Call = (params: unknown) => Promise<object> | null;
export type Calls = ReadonlyMap<string, Call>;

/** The calls on a wallet's keys and on its refund wallet. `areWordsConfirmed`: whether somebody wrote the wallet's words down. */
export const callsOn = (keys: AddressKeys, refunds: RefundSigner, areWordsConfirmed = () => false): Calls =>
  new Map([
    ['fingerprint', checked(z.strictObject({}), async () => fingerprint(keys, refunds))],
    ['addresses', checked(range, (asked) => addresses(keys, refunds, asked))],
    ['owns', checked(ownsParams, async (asked) => ownership(keys, asked))],
    ['sign', checked(signParams, (asked) => signed(refunds, asked))],
    ['attempts', checked(z.strictObject({ intentId }), async (asked) => refunds.attempts(asked.intentId))],
    ['release', checked(z.strictObject({ outcome }), async (asked) => refunds.release(asked.outcome))],
    ['freeze', checked(z.strictObject({ reason }), async (asked) => refunds.freeze(asked.reason))],
    ['state', checked(z.strictObject({}), async () => ({ ...refunds.state(), wordsConfirmed: areWordsConfirmed() }))],
    ['journal', checked(journalParams, async (asked) => refunds.journal(asked))],
  ]);

/** For the operator who reads it: plain text of a line. */
const reason = z.string().regex(/^[\x20-\x7e]{1,200}$/);

const range = z
  .strictObject({ from: z.int().min(0), count: z.int().min(1).max(MOST_ADDRESSES) })
  .refine(({ from, count }) => from + count <= INDEX_LIMIT);

/** More than a session has: one address on each family of networks. */
const MOST_ASKED = 10;
const ownsParams = z.strictObject({
  index: z
    .int()
    .min(0)
    .max(INDEX_LIMIT - 1),
  addresses: z.array(z.string().max(64)).min(1).max(MOST_ASKED),
});

async function signed(refunds: RefundSigner, asked: SignParams): Promise<Signed> {
  const payload = await refunds.signApproved(asked);
  crashpoint('before-answer', asked.order.network);
  return payload;
}

const fingerprint = (keys: AddressKeys, refunds: RefundSigner): z.input<typeof fingerprintResult> => ({
  mode: 'seed',
  fingerprint: keys.fingerprint,
  capacity: INDEX_LIMIT,
  highest: refunds.highestIndex,
});

/** Each index is given once: the journal says so before the addresses are derived. */
async function addresses(
  keys: AddressKeys,
  refunds: RefundSigner,
  asked: z.output<typeof range>,
): Promise<z.input<typeof addressesResult>> {
  refunds.giveIndexes(asked);
  return { fingerprint: keys.fingerprint, addresses: await deriveRange(keys, asked) };
}

/** Derives and remembers nothing, so an index may be asked about as often as anybody likes. */
const ownership = (keys: AddressKeys, asked: z.output<typeof ownsParams>): z.input<typeof ownsResult> => ({
  owns: areAllOf(keys.addressesAt(asked.index), asked.addresses),
});

function checked<T>(schema: z.ZodType<T>, run: (params: T) => Promise<object>): Call {
  return (params) => {
    const read = schema.safeParse(params);
    return read.success ? run(read.data) : null;
  };
}
