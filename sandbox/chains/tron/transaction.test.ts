// Transactions as bytes and as JSON: a real one of the main network, and arbitrary ones.

import { keccak256 } from 'ethers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readAddress, toBase58 } from './address';
import type { ContractType } from './messages';
import { MalformedMessage } from './protobuf';
import {
  buildTransaction,
  rawJson,
  readTransactionBytes,
  readTransactionJson,
  signedJson,
  signerOf,
  signTransaction,
  transactionBytes,
  unsignedJson,
} from './transaction';

/** A real transaction of block 78861100 of the main network. */
const REAL = {
  id: 'e122cba603b48ee234807f91859a04dbc4728f1b215d5c9c05385733bca674bc',
  raw:
    '0a025313220846a60be20a563ff140c0b7e9c0b7335aae01081f12a9010a31747970652e676f6f676c65617069732e636f6d2f70726f746f636f' +
    '6c2e54726967676572536d617274436f6e747261637412740a1541db5f3f3a9798f3d1f89b2f12b6acda2fb3c91f80121541a614f803b6fd78' +
    '0986a42c78ec9c7f77e6ded13c2244a9059cbb00000000000000000000000029228e5d382b7a2c2a0dbc05e6d6507f4dbb3bbe000000000000' +
    '0000000000000000000000000000000000000000000001cfe2eb70e7d3d3c0b733900180c2d72f',
  signature:
    '99560ec38b72b17cb7d409b3a7799ee2486f85d37d1d93c382264a4bc57864744f90d2053c6da8cbf8e15f88cb6cc7c12629272c0b834d1c0f' +
    '3002710bc2fdeb01',
  owner: 'TVy95wrbDgQ8NA3XT8qKqwC6YBsFTPHtFF',
};

test('a real transaction has its real id, owner and size, in both address formats', () => {
  for (const visible of [false, true]) {
    const raw = rawJson(Buffer.from(REAL.raw, 'hex'), visible);
    const read = readTransactionJson({ raw_data: raw, signature: [REAL.signature] });
    expect([read.id, read.raw.toString('hex'), toBase58(read.owner)]).toEqual([REAL.id, REAL.raw, REAL.owner]);
    expect(toBase58(signerOf(read.id, REAL.signature))).toBe(REAL.owner);
    // Its receipt shows 345 of bandwidth, 64 of which are for the result.
    expect(transactionBytes(read, null).length + 64).toBe(345);
  }
});

const address = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => `41${Buffer.from(bytes).toString('hex')}`);
const amount = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER });
const hex = fc.uint8Array({ minLength: 1, maxLength: 80 }).map((bytes) => Buffer.from(bytes).toString('hex'));
const resource = fc.constantFrom('ENERGY', undefined);
const contract: fc.Arbitrary<[ContractType, Record<string, unknown>]> = fc.oneof(
  fc
    .record({ owner_address: address, to_address: address, amount })
    .map((v) => ['TransferContract', v] as [ContractType, typeof v]),
  fc
    .record({ owner_address: address, contract_address: address, data: hex, call_value: amount })
    .map((v) => ['TriggerSmartContract', v] as [ContractType, typeof v]),
  fc
    .record({ owner_address: address, receiver_address: address, balance: amount, resource, lock: fc.constant(true) })
    .map((v) => ['DelegateResourceContract', v] as [ContractType, typeof v]),
  fc
    .record({ owner_address: address, account_address: address })
    .map((v) => ['AccountCreateContract', v] as [ContractType, typeof v]),
);
const draft = fc.record({
  ref_block_bytes: fc.constant('5313'),
  ref_block_hash: fc.constant('46a60be20a563ff1'),
  expiration: amount,
  timestamp: amount,
  fee_limit: fc.option(amount, { nil: undefined }),
});

test('a built transaction reads the same from its JSON, visible or not, and from its bytes', () => {
  fc.assert(
    fc.property(contract, draft, ([type, value], made) => {
      const built = buildTransaction(type, value, made);
      const signed = signTransaction(built, keccak256(built.raw));
      for (const visible of [false, true]) {
        expect(readTransactionJson(unsignedJson(built, visible))).toEqual(built);
        expect(readTransactionJson(signedJson(signed, null, visible))).toEqual(signed);
      }
      expect(readTransactionBytes(transactionBytes(signed, null))).toEqual(signed);
    }),
  );
});

test('an address reads the same from every format, and other text is rejected', () => {
  fc.assert(
    fc.property(address, (one) => {
      const writings = [one, toBase58(one), one.slice(2), `0x${one.slice(2)}`, one.toUpperCase()];
      expect(writings.map(readAddress)).toEqual(writings.map(() => one));
    }),
  );
  const wrong = ['', 'T', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6T', '42'.repeat(21), '41'.repeat(20) + '4', null, 7];
  expect(wrong.map(readAddress)).toEqual(wrong.map(() => null));
});

test.each([
  ['no raw_data', {}],
  ['no contract', { raw_data: { contract: [] } }],
  ['an unknown contract', { raw_data: { contract: [{ type: 'MysteryContract', parameter: { value: {} } }] } }],
  ['no owner', { raw_data: { contract: [{ type: 'TransferContract', parameter: { value: { amount: 1 } } }] } }],
  [
    'an amount that is not an integer',
    {
      raw_data: {
        contract: [{ type: 'TransferContract', parameter: { value: { owner_address: REAL.owner, amount: 1.5 } } }],
      },
    },
  ],
])('a transaction with %s is refused', (_, json) => {
  expect(() => readTransactionJson(json)).toThrow(MalformedMessage);
});

test('rejects truncated bytes', () => {
  expect(() => readTransactionBytes(Buffer.from('0a8401', 'hex'))).toThrow(MalformedMessage);
  expect(() => readTransactionBytes(Buffer.from('ff', 'hex'))).toThrow(MalformedMessage);
});
