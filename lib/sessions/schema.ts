// The shape of a create request: types, lengths and ranges of its fields (decisions: Request bodies). Every rule names the
// code with which it refuses; what concerns several fields at once is in rules.ts. Unknown fields are dropped.

import { z } from 'zod';
import { line, METADATA, orderId, PARAMETER, prose, refusal } from '@/lib/request-text';

const AMOUNT = refusal('INVALID_AMOUNT');
const CURRENCY = refusal('INVALID_CURRENCY');
const minorUnits = z.int(AMOUNT).min(0, AMOUNT);

/** Largest amount in minor units, so that every token's base units fit its chain. */
export const LARGEST_AMOUNT = 10 ** 15;
const MOST_ITEMS = 100;
const MOST_QUANTITY = 1_000_000;
const LONGEST_METADATA_VALUE = 500;
const LONGEST_URL = 2048;

const lineItem = z.object(
  {
    price_data: z.object(
      {
        currency: line(1, 10),
        unit_amount: minorUnits,
        product_data: z.object({ name: line(1, 256), description: prose(1000).optional() }, PARAMETER),
      },
      PARAMETER,
    ),
    quantity: z.int(PARAMETER).min(1, PARAMETER).max(MOST_QUANTITY, PARAMETER).default(1),
  },
  PARAMETER,
);

const metadata = z
  .record(line(1, METADATA.key), prose(LONGEST_METADATA_VALUE), PARAMETER)
  .refine((entries) => Object.keys(entries).length <= METADATA.keys, PARAMETER)
  .meta({ maxProperties: METADATA.keys });

export const createSessionSchema = z.object({
  amount: z.int(AMOUNT).min(1, AMOUNT).max(LARGEST_AMOUNT, AMOUNT),
  currency: z.string(CURRENCY).max(10, CURRENCY),
  order_id: orderId,
  description: prose(1000).optional(),
  line_items: z.array(lineItem, PARAMETER).max(MOST_ITEMS, PARAMETER).optional(),
  tax_amount: minorUnits.optional(),
  shipping_amount: minorUnits.optional(),
  success_url: z.string(PARAMETER).max(LONGEST_URL, PARAMETER).optional(),
  cancel_url: z.string(PARAMETER).max(LONGEST_URL, PARAMETER).optional(),
  metadata: metadata.optional(),
  expires_in: z.int(PARAMETER).min(60, PARAMETER).max(3600, PARAMETER).default(1800),
});

export type CreateSessionRequest = z.output<typeof createSessionSchema>;
export type LineItem = z.output<typeof lineItem>;
