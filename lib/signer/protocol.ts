// What is said on the signer's socket: one JSON object per line, each answered by one line with the same id. The limits hold
// on both sides, so neither can make the other collect without end.

import { z } from 'zod';

/** A question is a few numbers. */
export const MOST_REQUEST_BYTES = 4096;
/** An answer is at most 200 addresses of under 200 bytes. */
export const MOST_ANSWER_BYTES = 65_536;

const id = z.string().min(1).max(64);

export const request = z.strictObject({ id, call: z.string().max(64), params: z.record(z.string(), z.unknown()) });

/** `invalid_request`: not understood or out of bounds. `unknown_call`: no such call. `failed`: the signer's own fault. */
export const answer = z.union([
  z.strictObject({ id, result: z.unknown() }),
  z.strictObject({
    id: id.nullable(),
    error: z.strictObject({ code: z.enum(['invalid_request', 'unknown_call', 'failed']), message: z.string() }),
  }),
]);

export type SignerErrorCode = 'invalid_request' | 'unknown_call' | 'failed';

export const fingerprintResult = z.strictObject({
  mode: z.literal('seed'),
  fingerprint: z.string().regex(/^[0-9a-f]{64}$/),
  /** Indexes below this can be asked for. */
  capacity: z.int().min(1),
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
