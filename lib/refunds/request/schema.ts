// The shape of a refund request: types, lengths and ranges of its fields. Every rule names its error code; the first invalid field, in the
// order of the fields, is reported. Unknown fields are dropped.

import { z } from 'zod';
import type { JsonObject } from '@/lib/platform/json/json';
import { hasOnlyCommonNumbers, jsonText } from '@/lib/platform/json/json-text';
import { line, merchantId, METADATA, PARAMETER, prose, refusal, required } from '@/lib/platform/request-text';

/** The refund reasons that the API accepts. */
export const REASONS = ['requested_by_customer', 'duplicate', 'fraudulent', 'expired_uncaptured'] as const;

const AMOUNT = refusal('INVALID_AMOUNT');
const CURRENCY = refusal('INVALID_CURRENCY');
const MAX_METADATA_BYTES = 8 * 1024;

/** Any JSON object with at most 50 keys of 40 characters, 8 KiB as compact text, and no number that a JSON reader may change. */
const metadata = z
  .record(line(1, METADATA.key), z.unknown(), PARAMETER)
  .refine((entries) => {
    const given = entries as JsonObject;
    const isSmall = Object.keys(given).length <= METADATA.keys && isWithin(jsonText(given), MAX_METADATA_BYTES);
    return isSmall && hasOnlyCommonNumbers(given);
  }, PARAMETER)
  .meta({ maxProperties: METADATA.keys });

const isWithin = (text: string, bytes: number): boolean => Buffer.byteLength(text) <= bytes;

export const createRefundSchema = z.object({
  session_id: line(1, 128, required('MISSING_CHARGE')),
  refund_id: merchantId(required('MISSING_REFUND_ID')),
  amount: z.int(AMOUNT).min(1, AMOUNT),
  currency: z
    .string(CURRENCY)
    .regex(/^(USDT|USDC)$/i, CURRENCY)
    .toUpperCase(),
  reason: z.enum(REASONS, PARAMETER).optional(),
  description: prose(1000).optional(),
  metadata: metadata.optional(),
});

export type CreateRefundRequest = z.output<typeof createRefundSchema>;
