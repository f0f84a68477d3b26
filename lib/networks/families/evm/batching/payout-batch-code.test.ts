import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { compileContract } from '@/testing/evm/compile-contract';
import { PAYOUT_BATCH_CODE } from './payout-batch-code';

/** Instructions that keep state, run other code in the contract's name, or create and end contracts. */
const FORBIDDEN = new Map([
  [0x54, 'SLOAD'],
  [0x55, 'SSTORE'],
  [0x5c, 'TLOAD'],
  [0x5d, 'TSTORE'],
  [0x32, 'ORIGIN'],
  [0xf0, 'CREATE'],
  [0xf2, 'CALLCODE'],
  [0xf4, 'DELEGATECALL'],
  [0xf5, 'CREATE2'],
  [0xff, 'SELFDESTRUCT'],
]);
const [PUSH1, PUSH32, CALL] = [0x60, 0x7f, 0xf1];

const compiled = () =>
  compileContract('PayoutBatch', fs.readFileSync(path.join(import.meta.dirname, 'payout-batch.sol'), 'utf8'), {
    evmVersion: 'cancun',
    optimizer: { enabled: true, runs: 10_000 },
    // Without metadata the code, and with it the contract's address, depends on the source alone.
    metadata: { bytecodeHash: 'none', appendCBOR: false },
  });

/** Every instruction of a program, without the data that instructions push. */
function instructionsOf(code: string): number[] {
  const bytes = Buffer.from(code.slice(2), 'hex');
  const found: number[] = [];
  for (let at = 0; at < bytes.length; at++) {
    const instruction = bytes[at]!;
    found.push(instruction);
    if (instruction >= PUSH1 && instruction <= PUSH32) at += instruction - PUSH1 + 1;
  }
  return found;
}

it('the creation code of the contract matches the compiled payout-batch.sol', () => {
  expect(PAYOUT_BATCH_CODE).toBe(compiled().creation);
}, 60_000);

it('the contract keeps nothing, changes nothing of itself, and calls nothing but the token', () => {
  const instructions = instructionsOf(compiled().deployed);
  expect(instructions.flatMap((one) => FORBIDDEN.get(one) ?? [])).toEqual([]);
  expect(instructions.filter((one) => one === CALL)).toHaveLength(1);
}, 60_000);
