// An address is cut so that both its ends are compared at the same length.

import { expect, test } from 'vitest';
import { addressGroups } from './address-groups';

const ADDRESSES = {
  ethereum: '0xE568f85De0bafd5Bb5BDEE00F2a23Bbe3b569F80',
  tron: 'TXYZopYRdj2D9XRtbG411XZZ3kM5VkAeBf',
  solana: '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV1',
};

test.each(Object.entries(ADDRESSES))(
  'an address on %s keeps every character, with as many emphasized at its end',
  (_, text) => {
    const groups = addressGroups(text);
    expect(groups.map((one) => one.text).join('')).toBe(text);
    const middle = groups.findIndex(({ isEnd }) => !isEnd);
    const length = (from: number, to?: number) =>
      groups.slice(from, to).reduce((sum, one) => sum + (one.isEnd ? one.text.replace('0x', '').length : 0), 0);
    expect([length(0, middle), length(middle)]).toEqual([8, 8]);
  },
);

test('the incomplete group of a TRON address is in the middle', () => {
  expect(addressGroups(ADDRESSES.tron).map(({ text }) => text)).toEqual([
    'TXYZ',
    'opYR',
    'dj',
    '2D9X',
    'RtbG',
    '411X',
    'ZZ3k',
    'M5Vk',
    'AeBf',
  ]);
});

test('a text too short to have a middle is shown whole', () => {
  expect(addressGroups('abcdef').map(({ text }) => text)).toEqual(['abcd', 'ef']);
});
