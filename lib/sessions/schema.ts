// The shape of a create request: types, lengths and ranges of its fields (decisions: Request bodies). Every rule names the
// code with which it refuses; what concerns several fields at once is in rules.ts. Unknown fields are dropped.

import { z } from 'zod';
import type { ErrorCode } from '@/lib/errors';

const code = (name: ErrorCode) => ({ error: name });
const PARAMETER = code('INVALID_PARAMETER');
const AMOUNT = code('INVALID_AMOUNT');

/** C0 and C1 controls, DEL, and the controls that turn the direction of text around. */
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;
/** The same, but text of several lines may hold tabs and line ends. */
const CONTROL_IN_PROSE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

/** Length in characters as people count them: code points. */
const characters = (text: string): number => {
  let count = 0;
  for (const _ of text) count++;
  return count;
};
/** The rules of `refine` as JSON Schema says them, for the OpenAPI document. It counts characters as we do. */
const without = (controls: RegExp): string => `^[^${controls.source.slice(1)}*$`;
const line = (least: number, most: number) =>
  z
    .string(PARAMETER)
    .refine(
      (text) => text.length >= least && text.length <= 2 * most && characters(text) <= most && !CONTROL.test(text),
      PARAMETER,
    )
    .meta({ minLength: least, maxLength: most, pattern: without(CONTROL) });
const prose = (most: number) =>
  z
    .string(PARAMETER)
    .refine((text) => text.length <= 2 * most && characters(text) <= most && !CONTROL_IN_PROSE.test(text), PARAMETER)
    .meta({ maxLength: most, pattern: without(CONTROL_IN_PROSE) });
const minorUnits = z.int(AMOUNT).min(0, AMOUNT);

/** Largest amount in minor units, so that every token's base units fit its chain. */
export const LARGEST_AMOUNT = 10 ** 15;
const MOST_ITEMS = 100;
const MOST_QUANTITY = 1_000_000;
const METADATA = { keys: 50, key: 40, value: 500 };
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
  .record(line(1, METADATA.key), prose(METADATA.value), PARAMETER)
  .refine((entries) => Object.keys(entries).length <= METADATA.keys, PARAMETER)
  .meta({ maxProperties: METADATA.keys });

/** A merchant's own id of an order. */
export const orderId = line(1, 128);

export const createSessionSchema = z.object({
  amount: z.int(AMOUNT).min(1, AMOUNT).max(LARGEST_AMOUNT, AMOUNT),
  currency: z.string(code('INVALID_CURRENCY')).max(10, code('INVALID_CURRENCY')),
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
