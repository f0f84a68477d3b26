// Digits fill an amount from its last digit, and every key sequence leaves an amount that can be charged.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pressed, type Key } from './keypad';

const keys = fc.constantFrom<Key>('0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '00', 'back', 'clear');
const press = (all: readonly Key[]): string => all.reduce(pressed, '');

test.each([
  [['1', '2', '3', '4'], '1234'],
  [['0', '0', '5'], '5'],
  [['00'], ''],
  [['5', '00'], '500'],
  [['1', '2', 'back'], '1'],
  [['back'], ''],
  [['1', '2', 'clear'], ''],
] as const)('%j makes %j', (all, digits) => expect(press(all)).toBe(digits));

test('every key sequence yields an amount without leading zeros that a session accepts', () => {
  fc.assert(fc.property(fc.array(keys, { maxLength: 60 }), (all) => /^(|[1-9]\d{0,14})$/.test(press(all))));
});

test('a digit beyond the longest amount is ignored', () => {
  const full = '9'.repeat(15);
  expect(pressed(full, '1')).toBe(full);
  expect(pressed('9'.repeat(14), '00')).toBe('9'.repeat(14));
});
