import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { compileContract } from '@/testing/evm/compile-contract';
import { FORWARDERS_CREATION, FORWARDERS_RUNTIME, IMMUTABLES } from './forwarders-code';

/** Instructions that read or change storage, run other code in the name of a forwarder, or end it. */
const FORBIDDEN = new Map([
  [0x54, 'SLOAD'],
  [0x55, 'SSTORE'],
  [0x5c, 'TLOAD'],
  [0x5d, 'TSTORE'],
  [0x5f, 'PUSH0'],
  [0xf0, 'CREATE'],
  [0xf2, 'CALLCODE'],
  [0xf4, 'DELEGATECALL'],
  [0xff, 'SELFDESTRUCT'],
]);
const [PUSH1, PUSH32, CALL, CREATE2] = [0x60, 0x7f, 0xf1, 0xf5];

const compiled = compileContract(
  'Forwarders',
  fs.readFileSync(path.join(import.meta.dirname, 'forwarders.sol'), 'utf8'),
  {
    // Instructions that every version of TRON's virtual machine since 2020 has.
    evmVersion: 'istanbul',
    // The network charges for each byte of the code, once.
    optimizer: { enabled: true, runs: 200 },
    // Without metadata the code depends on the source alone.
    metadata: { bytecodeHash: 'none', appendCBOR: false },
  },
);

/** Every instruction of a program, without the data that instructions push. */
function instructionsOf(code: string): number[] {
  const bytes = Buffer.from(code, 'hex');
  const found: number[] = [];
  for (let at = 0; at < bytes.length; at++) {
    const instruction = bytes[at]!;
    found.push(instruction);
    if (instruction >= PUSH1 && instruction <= PUSH32) at += instruction - PUSH1 + 1;
  }
  return found;
}

it('the code matches the compiled forwarders.sol, and so do the places of its wallets', () => {
  expect(FORWARDERS_CREATION).toBe(compiled.creation.slice(2));
  expect(FORWARDERS_RUNTIME).toBe(compiled.deployed.slice(2));
  expect(IMMUTABLES).toEqual(compiled.immutables);
  // Contract, treasury, sponsor and spare sponsor.
  expect(IMMUTABLES).toHaveLength(4);
});

it('has no storage, no other code and no end, and creates forwarders at one place', () => {
  const instructions = instructionsOf(FORWARDERS_RUNTIME);
  expect(instructions.flatMap((one) => FORBIDDEN.get(one) ?? [])).toEqual([]);
  expect(instructions.filter((one) => one === CREATE2)).toHaveLength(1);
  // The transfer of a token, that of coin, and the call of a forwarder.
  expect(instructions.filter((one) => one === CALL)).toHaveLength(3);
});
