import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { compileContract } from '@/testing/evm/compile-contract';
import { CALL, CREATE2, instructionsOf, UNSAFE_INSTRUCTIONS } from '@/testing/evm/instructions';
import { PAYOUT_BATCH_CODE } from './payout-batch-code';

const FORBIDDEN = new Map([...UNSAFE_INSTRUCTIONS, [0x32, 'ORIGIN'], [CREATE2, 'CREATE2']]);

const compiled = () =>
  compileContract('PayoutBatch', fs.readFileSync(path.join(import.meta.dirname, 'payout-batch.sol'), 'utf8'), {
    evmVersion: 'cancun',
    optimizer: { enabled: true, runs: 10_000 },
    // Without metadata the code, and with it the contract's address, depends on the source alone.
    metadata: { bytecodeHash: 'none', appendCBOR: false },
  });

it('the creation code of the contract matches the compiled payout-batch.sol', () => {
  expect(PAYOUT_BATCH_CODE).toBe(compiled().creation);
}, 60_000);

it('the contract keeps nothing, changes nothing of itself, and calls nothing but the token', () => {
  const instructions = instructionsOf(compiled().deployed);
  expect(instructions.flatMap((one) => FORBIDDEN.get(one) ?? [])).toEqual([]);
  expect(instructions.filter((one) => one === CALL)).toHaveLength(1);
}, 60_000);
