import { describe, expect, test } from 'vitest';
import { withApiNames } from './api-names';

describe('names of the API in a sentence', () => {
  test.each([
    ['Send next_cursor as cursor until it is null.', 'Send `next_cursor` as cursor until it is null.'],
    ['price_data.currency of every item', '`price_data.currency` of every item'],
    ['the key ak_test_… or ak_live_….', 'the key `ak_test_…` or `ak_live_…`.'],
    ['refused as REFUND_TIME_EXPIRED when', 'refused as `REFUND_TIME_EXPIRED` when'],
    ['paid when status is COMPLETED.', 'paid when status is `COMPLETED`.'],
    ['an X-Service-Event-ID that', 'an `X-Service-Event-ID` that'],
    ['An Idempotency-Key makes it safe', 'An `Idempotency-Key` makes it safe'],
    ['payment.cancelled is sent.', '`payment.cancelled` is sent.'],
    ['以 order_id 为准', '以 `order_id` 为准'],
    ['see /docs/signature-version-2.', 'see `/docs/signature-version-2`.'],
    ['the key __proto__.', 'the key `__proto__`.'],
  ])('%s', (text, marked) => expect(withApiNames(text)).toBe(marked));

  test.each([
    'Leave `order_id` and [refund_id](/docs/limits) alone.',
    'Cancel a payment. The refund is final.',
    'Open https://pay.example/a_b now.',
  ])('stay unmarked or marked as they are: %s', (text) => expect(withApiNames(text)).toBe(text));
});
