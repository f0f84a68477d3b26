import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { compileContract } from '@/testing/evm/compile-contract';
import { READ_BALANCES_CODE } from './read-balances-code';

it('the creation code for many balances matches the compiled read-balances.sol', () => {
  const source = fs.readFileSync(path.join(import.meta.dirname, 'read-balances.sol'), 'utf8');
  const { creation } = compileContract('ReadBalances', source, {
    // Paris has no PUSH0, so the code runs on every network. Without metadata it depends on the source alone.
    evmVersion: 'paris',
    optimizer: { enabled: true, runs: 200 },
    metadata: { bytecodeHash: 'none', appendCBOR: false },
  });
  expect(READ_BALANCES_CODE).toBe(creation);
}, 60_000);
