import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { compileContract } from '@/testing/evm/compile-contract';
import { CALL, CREATE2, instructionsOf, UNSAFE_INSTRUCTIONS } from '@/testing/evm/instructions';
import { SWEEP_DELEGATE_CODE } from './sweep-delegate-code';

const FORBIDDEN = new Map([...UNSAFE_INSTRUCTIONS, [CREATE2, 'CREATE2']]);

const compiled = () =>
  compileContract('SweepDelegate', fs.readFileSync(path.join(import.meta.dirname, 'sweep-delegate.sol'), 'utf8'), {
    evmVersion: 'cancun',
    optimizer: { enabled: true, runs: 10_000 },
    // Without metadata the code, and with it the delegate's address, depends on the source alone.
    metadata: { bytecodeHash: 'none', appendCBOR: false },
  });

it('the creation code of the delegate matches the compiled sweep-delegate.sol', () => {
  expect(SWEEP_DELEGATE_CODE).toBe(compiled().creation);
}, 60_000);

it('a deposit address that delegates to it gets no storage, no other code and no end', () => {
  const instructions = instructionsOf(compiled().deployed);
  expect(instructions.flatMap((one) => FORBIDDEN.get(one) ?? [])).toEqual([]);
  // The transfer and the call of a deposit address.
  expect(instructions.filter((one) => one === CALL)).toHaveLength(2);
}, 60_000);
