import { expect, test } from 'vitest';
import { quantile, summary } from './summary.mjs';

test('counts missing responses, and the latency of the others does not improve by them', () => {
  const latencies = Float64Array.from([5, 0, 7, 1, 9, 0]);
  const statuses = Uint16Array.from([200, 0, 200, 503, 200, 0]);
  const seen = summary({ latencies, statuses, sent: 5, rate: null });
  expect(seen).toMatchObject({
    count: 5,
    counts: { 200: 3, 503: 1, 1: 1 },
    refused: 2,
    p50: 7,
    most: 9,
    refusedP99: 1,
  });
});

test('every request belongs to the second in which it was due, whenever it was answered', () => {
  const latencies = Float64Array.from([1, 2, 3000, 4, 5]);
  const statuses = Uint16Array.from([200, 200, 200, 200, 503]);
  const { timeline } = summary({ latencies, statuses, sent: 5, rate: 2 });
  expect(timeline).toEqual([
    { count: 2, good: 2, p99: 2 },
    { count: 2, good: 2, p99: 3000 },
    { count: 1, good: 0, p99: Number.NaN },
  ]);
});

test('a quantile is one of the values', () => {
  const values = Array.from({ length: 100 }, (_, n) => 100 - n);
  expect([quantile(values, 0.5), quantile(values, 0.99), quantile(values, 1)]).toEqual([51, 100, 100]);
  expect(quantile([], 0.5)).toBeNaN();
});
