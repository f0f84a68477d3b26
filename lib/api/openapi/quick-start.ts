// The quick-start variant of a create request as one schema: the ordinary fields and its own, with decimal texts or integers as
// amounts. The service reads it in two steps (lib/payments/sessions/create/quick-start.ts); a test applies both to the same
// bodies.

import { z } from 'zod';
import { quickStartSchema } from '@/lib/payments/sessions/create/quick-start';
import { createSessionSchema } from '@/lib/payments/sessions/create/schema';

/** Decimal text in major units, with at most the currency's digits (which a schema cannot know), or an integer in minor units. */
const decimal = z.union([
  z
    .string()
    .max(24)
    .regex(/^(0|[1-9]\d*)(\.\d+)?$/),
  z.int().min(0),
]);
const { line_items } = createSessionSchema.shape;
const item = line_items.unwrap().element;
const { price_data } = item.shape;
const decimalItem = item.extend({ price_data: price_data.extend({ unit_amount: decimal }) });

export const quickStartRequest = createSessionSchema.extend({
  ...quickStartSchema.shape,
  amount: decimal,
  tax_amount: decimal.optional(),
  shipping_amount: decimal.optional(),
  line_items: z.array(decimalItem).max(100).optional(),
});
