// The calls that the signer answers, as a table: a name, what may be asked, and what is done. There is no call that signs
// what it is given, and there must never be one.

import { z } from 'zod';
import { MOST_ADDRESSES } from '@/lib/wallet/address-source';
import { INDEX_LIMIT, type AddressKeys } from '@/lib/wallet/derivation';
import { deriveRange } from '@/lib/wallet/derive-range';
import type { addressesResult, fingerprintResult } from './protocol';

/** Answers one question, or null when its parameters are out of bounds. */
export type Call = (params: unknown) => Promise<object> | null;
export type Calls = ReadonlyMap<string, Call>;

/** The calls on a wallet's keys. */
export const callsOn = (keys: AddressKeys): Calls =>
  new Map([
    ['fingerprint', checked(z.strictObject({}), async () => fingerprint(keys))],
    ['addresses', checked(range, (asked) => addresses(keys, asked))],
  ]);

const range = z
  .strictObject({ from: z.int().min(0), count: z.int().min(1).max(MOST_ADDRESSES) })
  .refine(({ from, count }) => from + count <= INDEX_LIMIT);

const fingerprint = (keys: AddressKeys): z.input<typeof fingerprintResult> => ({
  mode: 'seed',
  fingerprint: keys.fingerprint,
  capacity: INDEX_LIMIT,
});

const addresses = async (
  keys: AddressKeys,
  asked: z.output<typeof range>,
): Promise<z.input<typeof addressesResult>> => ({
  fingerprint: keys.fingerprint,
  addresses: await deriveRange(keys, asked),
});

function checked<T>(schema: z.ZodType<T>, run: (params: T) => Promise<object>): Call {
  return (params) => {
    const read = schema.safeParse(params);
    return read.success ? run(read.data) : null;
  };
}
