import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { compileContract } from '@/testing/evm/compile-contract';
import { SWEEP_DELEGATE_CODE } from './sweep-delegate-code';

it('the creation code of the delegate matches the compiled sweep-delegate.sol', () => {
  const source = fs.readFileSync(path.join(import.meta.dirname, 'sweep-delegate.sol'), 'utf8');
  const { creation } = compileContract('SweepDelegate', source, {
    evmVersion: 'cancun',
    optimizer: { enabled: true, runs: 10_000 },
    // Without metadata the code, and with it the delegate's address, depends on the source alone.
    metadata: { bytecodeHash: 'none', appendCBOR: false },
  });
  expect(SWEEP_DELEGATE_CODE).toBe(creation);
}, 60_000);
