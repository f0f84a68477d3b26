// The places in samples that the reader's own test keys fill.

import type { TestKeys } from '@/components/ui/test-keys';

/** A sample with the placeholders of the known keys filled in. */
export const fillKeys = (text: string, { apiKey, apiSecret }: TestKeys): string =>
  text.replaceAll('ak_test_…', apiKey || 'ak_test_…').replaceAll('as_test_…', apiSecret || 'as_test_…');

/** Whether a sample has a place for a key. */
export const hasKeyPlaces = (text: string): boolean => /(?:ak|as)_test_…/.test(text);
