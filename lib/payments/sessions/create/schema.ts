// The shape of a create request: types, lengths and ranges of its fields. Every rule names its error code; rules over several fields
// are in rules.ts. Unknown fields are dropped, except within line items, which are returned exactly as the merchant sent them.

import { z } from 'zod';
import { COUNTRIES } from '@/lib/platform/countries/countries';
import type { JsonValue } from '@/lib/platform/json/json';
import { hasOnlyCommonNumbers } from '@/lib/platform/json/json-text';
import { line, METADATA, orderId, PARAMETER, prose, refusal } from '@/lib/platform/request-text';

const AMOUNT = refusal('INVALID_AMOUNT');
const CURRENCY = refusal('INVALID_CURRENCY');
const minorUnits = z.int(AMOUNT).min(0, AMOUNT);

/** Largest amount in minor units, so that every token's base units fit its chain. */
export const LARGEST_AMOUNT = 10 ** 15;
const MAX_ITEMS = 100;
const MAX_QUANTITY = 1_000_000;
const LONGEST_METADATA_VALUE = 500;
const LONGEST_URL = 2048;

const lineItem = z.looseObject(
  {
    price_data: z.looseObject(
      {
        currency: line(1, 10),
        unit_amount: minorUnits,
        product_data: z.looseObject({ name: line(1, 256), description: prose(1000).nullish() }, PARAMETER),
      },
      PARAMETER,
    ),
    quantity: z.int(PARAMETER).min(1, PARAMETER).max(MAX_QUANTITY, PARAMETER).nullish(),
  },
  PARAMETER,
);

/** Only numbers that every JSON reader represents exactly, so that the items are returned as they were sent. */
const lineItems = z
  .array(lineItem, PARAMETER)
  .max(MAX_ITEMS, PARAMETER)
  .refine((items) => hasOnlyCommonNumbers(items as JsonValue), PARAMETER);

const metadata = z
  .record(line(1, METADATA.key), prose(LONGEST_METADATA_VALUE), PARAMETER)
  .refine((entries) => Object.keys(entries).length <= METADATA.keys, PARAMETER)
  .meta({ maxProperties: METADATA.keys });

export const createSessionSchema = z.object({
  amount: z.int(AMOUNT).min(1, AMOUNT).max(LARGEST_AMOUNT, AMOUNT),
  currency: z.string(CURRENCY).max(10, CURRENCY),
  order_id: orderId,
  description: prose(1000).optional(),
  line_items: lineItems.optional(),
  tax_amount: minorUnits.optional(),
  shipping_amount: minorUnits.optional(),
  success_url: z.string(PARAMETER).max(LONGEST_URL, PARAMETER).optional(),
  cancel_url: z.string(PARAMETER).max(LONGEST_URL, PARAMETER).optional(),
  metadata: metadata.optional(),
  customer_country: z
    .string(PARAMETER)
    .regex(/^[A-Za-z]{2}$/, PARAMETER)
    .refine((code) => COUNTRIES.has(code.toUpperCase()), PARAMETER)
    .optional(),
  expires_in: z.int(PARAMETER).min(60, PARAMETER).max(3600, PARAMETER).default(1800),
});

export type CreateSessionRequest = z.output<typeof createSessionSchema>;
export type LineItem = z.output<typeof lineItem>;

/** How often the item is bought; once unless the merchant says otherwise. */
export const quantityOf = ({ quantity }: Pick<LineItem, 'quantity'>): number => quantity ?? 1;
