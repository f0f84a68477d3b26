// The committed artifacts equal the compiler's output for the committed sources.

import { expect, test } from 'vitest';
import artifacts from './artifacts.json';
import { compileContracts } from './compile';

test('artifacts.json equals the compiled sources', () => {
  expect(compileContracts()).toEqual(artifacts);
}, 60_000);

test('the legacy token returns nothing from transfer, the modern one a boolean', () => {
  const signature = 'function transfer(address to, uint256 value)';
  expect(artifacts.LegacyStable.abi).toContain(signature);
  expect(artifacts.ModernStable.abi).toContain(`${signature} returns (bool)`);
  // It declares a boolean and returns none; wallet.test.ts sees the zeros.
  expect(artifacts.TronStable.abi).toContain(`${signature} returns (bool)`);
});
