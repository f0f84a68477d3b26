// The places of samples that the reader's own test keys fill.

import type { TestKeys } from '@/components/ui/test-keys';

/** A sample with the placeholders of the keys that are known filled in. */
export const fillKeys = (text: string, { apiKey, apiSecret, webhookSecret }: TestKeys): string =>
  text
    .replaceAll('ak_test_…', apiKey || 'ak_test_…')
    .replaceAll('as_test_…', apiSecret || 'as_test_…')
    .replaceAll('whsec_…', webhookSecret || 'whsec_…');

/** Whether a sample has a place for a key. */
export const hasKeyPlaces = (text: string): boolean => /(?:ak_test|as_test|whsec)_…/.test(text);
