import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { compileContract } from '@/testing/evm/compile-contract';
import { CALL, CREATE2, instructionsOf, UNSAFE_INSTRUCTIONS } from '@/testing/evm/instructions';
import { FORWARDERS_CREATION, FORWARDERS_RUNTIME, IMMUTABLES } from './forwarders-code';

/** PUSH0 is unknown to older versions of TRON's virtual machine. */
const FORBIDDEN = new Map([...UNSAFE_INSTRUCTIONS, [0x5f, 'PUSH0']]);

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
