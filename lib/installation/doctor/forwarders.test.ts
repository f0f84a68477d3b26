import { expect, test } from 'vitest';
import type { SignerState } from '@/lib/signer/client';
import { forwarderFindings } from './forwarders';

const [ONE, OTHER] = ['TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7', 'TM3hWvJnpuyUmKRALBRwD7xH2puBjvwEgA'];
const swept = (forwarders?: string[]): NonNullable<SignerState['sweeps']> => [
  {
    ...{ network: 'tron@mainnet', environment: 'live', treasury: OTHER, sponsor: OTHER, spareSponsor: OTHER },
    ...{ active: OTHER, delegate: null, feesPerHour: '1', feesLastHour: '0' },
    ...(forwarders ? { forwarders } : {}),
  },
];
const statesOf = (named: string[], sweeps?: SignerState['sweeps']) =>
  forwarderFindings({ TRON_FORWARDERS: named }, { sweeps }).map(({ state }) => state);

test('nothing is said where neither names a contract', () => {
  expect(statesOf([])).toEqual([]);
  expect(statesOf([], swept())).toEqual([]);
});

test('names a network on which service and signer have the same contracts in the same order', () => {
  expect(statesOf([`tron@mainnet=${ONE}`], swept([ONE]))).toEqual(['ok']);
  expect(statesOf([`tron@mainnet=${ONE}`, `tron@mainnet=${OTHER}`], swept([ONE, OTHER]))).toEqual(['ok']);
});

test('fails where one names none, another one, or another order', () => {
  expect(statesOf([`tron@mainnet=${ONE}`], swept())).toEqual(['fail']);
  expect(statesOf([`tron@mainnet=${ONE}`])).toEqual(['fail']);
  expect(statesOf([], swept([ONE]))).toEqual(['fail']);
  expect(statesOf([`tron@mainnet=${ONE}`], swept([OTHER]))).toEqual(['fail']);
  expect(statesOf([`tron@mainnet=${ONE}`, `tron@mainnet=${OTHER}`], swept([OTHER, ONE]))).toEqual(['fail']);
  expect(statesOf([`tron@testnet=${ONE}`], swept([ONE]))).toEqual(['fail', 'fail']);
});
