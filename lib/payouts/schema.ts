// The shape of a payout request on the API. Every rule names its error code; unknown fields are dropped.

import { z } from 'zod';
import { RESERVED_NAME } from './request';
import { line, merchantId, PARAMETER, prose, refusal } from '@/lib/platform/request-text';

const AMOUNT = refusal('INVALID_AMOUNT');
const CURRENCY = refusal('INVALID_CURRENCY');
const LONGEST_NETWORK = 50;

export const createPayoutSchema = z.object({
  payout_id: merchantId(PARAMETER).refine((text) => !RESERVED_NAME.test(text), PARAMETER),
  amount: z.int(AMOUNT).min(1, AMOUNT),
  currency: z
    .string(CURRENCY)
    .regex(/^(USDT|USDC)$/i, CURRENCY)
    .toUpperCase(),
  network: line(1, LONGEST_NETWORK).toLowerCase(),
  max_costs: z.int(PARAMETER).min(0, PARAMETER).optional(),
  description: prose(1000).optional(),
});

export type CreatePayoutRequest = z.output<typeof createPayoutSchema>;
