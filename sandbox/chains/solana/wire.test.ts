// Incoming bytes: all versions parse alike; malformed input never reaches the VM, where it would end the process.

import type { KeyPairSigner } from '@solana/kit';
import { getTransferSolInstruction } from '@solana-program/system';
import fc from 'fast-check';
import { beforeAll, expect, test } from 'vitest';
import { systemClock } from '@/lib/platform/clock';
import { Bank } from './bank';
import { Ledger } from './ledger';
import { RpcError } from './rpc-error';
import { readTransaction, type WireTransaction } from './wire';

const VERSIONS = [0, 1] as const;

let ledger: Ledger;
const wires: WireTransaction[] = [];
let holder: KeyPairSigner;

beforeAll(async () => {
  ledger = new Ledger(systemClock);
  const bank = await Bank.open(ledger);
  holder = await bank.newHolder();
  const { address: destination } = await bank.newHolder();
  const transfer = getTransferSolInstruction({ source: holder, destination, amount: 5n });
  for (const version of VERSIONS) wires.push(await bank.sign(holder, [transfer], version));
});

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

test.each(VERSIONS)('version %d is read with its accounts, instructions and signatures', (version) => {
  const wire = wires[version]!;
  const read = readTransaction(base64(wire.bytes), 'base64');
  expect(read).toEqual(wire);
  expect([read.message.version, read.message.staticKeys[0], read.signatures.length]).toEqual([
    version,
    holder.address,
    1,
  ]);
});

test('bytes changed anywhere are rejected or executed, and never crash the process', () => {
  const change = fc.record({ at: fc.nat(), to: fc.nat(255) });
  fc.assert(
    fc.property(
      fc.constantFrom(...VERSIONS),
      fc.array(change, { minLength: 1, maxLength: 5 }),
      fc.option(fc.nat()),
      (version, changes, cut) => {
        const bytes = Uint8Array.from(wires[version]!.bytes);
        for (const { at, to } of changes) bytes[at % bytes.length] = to;
        const text = base64(cut === null ? bytes : bytes.subarray(0, cut % bytes.length));
        const wire = readOrRefuse(text);
        if (wire) expect(ledger.simulate(wire, false).computeUnits).toBeGreaterThanOrEqual(0);
      },
    ),
    { numRuns: 1000 },
  );
});

test.each([
  ['an unknown bit in the configuration of version 1', 1, 5, 0xff],
  ['half of a priority fee', 1, 4, 0b00000101],
])('%s is refused', (_, version, offset, value) => {
  const bytes = Uint8Array.from(wires[version]!.bytes);
  bytes[offset] = value;
  expect(() => readTransaction(base64(bytes), 'base64')).toThrow(RpcError);
});

test('rejects a transaction longer than a packet', () => {
  const long = new Uint8Array(1233);
  long.set(wires[0]!.bytes);
  expect(() => readTransaction(base64(long), 'base64')).toThrow(RpcError);
});

function readOrRefuse(text: string): WireTransaction | null {
  try {
    return readTransaction(text, 'base64');
  } catch (error) {
    expect(error).toBeInstanceOf(RpcError);
    return null;
  }
}
