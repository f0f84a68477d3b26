import { expect, it } from 'vitest';
import english from '@/messages/en.json';
import { networkNames } from './network-names';

const say = (key: string): string | null => (english as Record<string, string>)[key] ?? null;

it('a network has the name and the token standard that people know', () => {
  expect(networkNames(say, 'tron')).toEqual({ name: 'TRON', standard: 'TRC20' });
  expect(networkNames(say, 'bsc')).toEqual({ name: 'BNB Smart Chain', standard: 'BEP20' });
});

it('a newly added network uses its own name', () => {
  expect(networkNames(say, 'base')).toEqual({ name: 'Base', standard: 'Base' });
});
