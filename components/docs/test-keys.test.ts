// Only test keys are stored for the documentation's samples, and a filled value cannot run anything else in a shell.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fillKeys, hasKeyPlaces } from './key-places';
import { canSignWith, isTestKey, NO_KEYS, readKeys } from '@/components/ui/test-keys';

const KEYS = { apiKey: 'ak_test_A1b2', apiSecret: 'as_test_C3d4' };
const SAMPLE = 'export A=ak_test_…\nexport B=as_test_…\n';

test('fills a sample with the known keys and keeps the placeholders of the others', () => {
  expect(hasKeyPlaces(SAMPLE)).toBe(true);
  expect(fillKeys(SAMPLE, KEYS)).toBe('export A=ak_test_A1b2\nexport B=as_test_C3d4\n');
  expect(hasKeyPlaces(fillKeys(SAMPLE, KEYS))).toBe(false);
  expect(fillKeys(SAMPLE, { ...NO_KEYS, apiKey: KEYS.apiKey })).toContain('export B=as_test_…');
  expect(fillKeys(SAMPLE, NO_KEYS)).toBe(SAMPLE);
});

test('live keys are neither stored nor used to sign', () => {
  const live = { ...KEYS, apiKey: 'ak_live_A1b2', apiSecret: 'as_live_C3d4' };
  expect(readKeys(JSON.stringify(live))).toEqual(NO_KEYS);
  expect(isTestKey('apiKey', live.apiKey)).toBe(false);
  expect(canSignWith(live)).toBe(false);
  expect(canSignWith(KEYS)).toBe(true);
});

test('only letters, digits and underscores of a key reach a sample, whatever was stored or pasted', () => {
  const field = fc.oneof(
    fc.string(),
    fc.string().map((text) => `ak_test_${text}`),
    fc.string().map((text) => `as_test_${text}`),
    fc.anything(),
  );
  const record = fc.record({ apiKey: field, apiSecret: field }, { requiredKeys: [] });
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        record.map((value) => JSON.stringify(value)),
      ),
      (kept) => {
        expect(fillKeys(SAMPLE, readKeys(kept))).toMatch(
          /^export A=ak_test_(?:…|[A-Za-z0-9]+)\nexport B=as_test_(?:…|[A-Za-z0-9]+)\n$/,
        );
      },
    ),
  );
});
