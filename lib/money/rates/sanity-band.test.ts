import { expect, test } from 'vitest';
import { applySanityBand, BAND_LAPSES_MILLISECONDS, HELD_MILLISECONDS, type StoredPrice } from './sanity-band';
import type { Reading } from './providers/provider';

const START = new Date('2026-11-21T10:00:00Z');
const later = (milliseconds: number): Date => new Date(START.getTime() + milliseconds);
const reading = (price: string, per: Reading['per'] = 'dollar'): Reading => ({
  currency: 'EUR',
  price,
  per,
  sourceTime: START,
});
const take = (former: StoredPrice | null, price: string, now: Date, per?: Reading['per']): StoredPrice =>
  applySanityBand(former, reading(price, per), { now, bandPercent: 10 });
const first: StoredPrice = { ...reading('0.86'), fetchedAt: START, heldPrice: null, heldSince: null };

test('the first price of a source is accepted', () => {
  expect(take(null, '0.86', START)).toEqual(first);
});

test.each(['0.86', '0.946', '0.79'])('a price within the band is accepted: %s', (price) => {
  expect(take(first, price, later(15_000))).toMatchObject({ price, fetchedAt: later(15_000), heldPrice: null });
});

test.each(['0.947', '0.78', '860', '0.00086', '1.1627'])('a jump is held, and the former price ages: %s', (price) => {
  expect(take(first, price, later(15_000))).toEqual({ ...first, heldPrice: price, heldSince: later(15_000) });
});

test('a jump that persists is accepted after an hour and not before', () => {
  const held = take(first, '1.5', later(15_000));
  const end = 15_000 + HELD_MILLISECONDS;
  expect(take(held, '1.51', later(end - 1))).toMatchObject({
    price: '0.86',
    fetchedAt: START,
    heldSince: later(15_000),
  });
  expect(take(held, '1.51', later(end))).toMatchObject({ price: '1.51', fetchedAt: later(end), heldPrice: null });
});

test('a price that keeps jumping is never accepted', () => {
  let kept = first;
  for (let hour = 1; hour < 24; hour++) kept = take(kept, hour % 2 ? '1.5' : '3', later(hour * HELD_MILLISECONDS));
  expect(kept).toMatchObject({ price: '0.86', fetchedAt: START });
});

test('a price that returns is accepted at once, and the jump is dropped', () => {
  const held = take(first, '1.5', later(15_000));
  expect(take(held, '0.87', later(30_000))).toMatchObject({ price: '0.87', heldPrice: null, heldSince: null });
});

test('a price that is a day old sets no band', () => {
  expect(take(first, '1.5', later(BAND_LAPSES_MILLISECONDS))).toMatchObject({ price: '1.5' });
  expect(take(first, '1.5', later(BAND_LAPSES_MILLISECONDS - 1))).toMatchObject({ price: '0.86', heldPrice: '1.5' });
});

test('a price in the other direction is not compared', () => {
  expect(take(first, '1.16', later(15_000), 'unit')).toMatchObject({ price: '1.16', per: 'unit', heldPrice: null });
});

test('an unusable price is near no other: the former one is held, and as a former one it sets no precedent', () => {
  for (const unusable of ['0', '0.00', 'x', '']) {
    expect(take(first, unusable, later(15_000))).toMatchObject({ price: '0.86', heldPrice: unusable });
    expect(take({ ...first, price: unusable }, '0.86', later(15_000))).toMatchObject({
      price: unusable,
      heldPrice: '0.86',
    });
  }
});

test('a held price without its time, or a time without its price, begins the hour anew', () => {
  const half = [
    { ...first, heldPrice: '1.5', heldSince: null },
    { ...first, heldPrice: null, heldSince: START },
  ];
  for (const former of half) {
    expect(take(former, '1.5', later(HELD_MILLISECONDS))).toMatchObject({
      price: '0.86',
      heldPrice: '1.5',
      heldSince: later(HELD_MILLISECONDS),
    });
  }
});

test('a price of zero is never accepted, however long the source reports it', () => {
  let kept = first;
  for (let hour = 1; hour < 24; hour++) kept = take(kept, '0', later(hour * HELD_MILLISECONDS));
  expect(kept).toMatchObject({ price: '0.86', heldPrice: '0' });
});
