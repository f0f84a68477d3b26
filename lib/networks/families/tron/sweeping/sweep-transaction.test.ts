// The signer's own transactions are those that tronweb writes from the same fields.

import fc from 'fast-check';
import { utils } from 'tronweb';
import { expect, test } from 'vitest';
import { tronSweepSigning, type SweepContract, type SweepTerms } from './sweep-transaction';

const CONTRACT = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((value) => Buffer.from(value).toString('hex'));
const address = hex(20).map((bytes) => utils.address.fromHex(`41${bytes}`));
const sun = fc.bigInt({ min: 1n, max: 10n ** 15n });
const terms = fc.record({
  refBlockBytes: hex(2).filter((text) => text !== '0000'),
  refBlockHash: hex(8),
  expiration: fc.integer({ min: 1, max: 2 ** 42 }),
  timestamp: fc.integer({ min: 1, max: 2 ** 42 }),
});
const contract: fc.Arbitrary<SweepContract> = fc.oneof(
  fc.record({ kind: fc.constant('activate' as const), owner: address, account: address }),
  fc.record({ kind: fc.constant('coin' as const), owner: address, to: address, amount: sun }),
  fc.record({
    ...{ kind: fc.constant('token' as const), owner: address, contract: fc.constant(CONTRACT), to: address },
    amount: fc.bigInt({ min: 1n, max: (1n << 256n) - 1n }),
  }),
  fc.record({
    ...{ kind: fc.constant('flush' as const), owner: address, factory: address, contract: fc.constant(CONTRACT) },
    energyEach: fc.bigInt({ min: 1n, max: 10_000_000n }),
    salts: fc.array(
      hex(20).map((one) => `0x${one}`),
      { minLength: 1, maxLength: 20 },
    ),
  }),
  fc.record({
    ...{ kind: fc.constantFrom('delegate' as const, 'undelegate' as const), owner: address, receiver: address },
    balance: sun,
  }),
);

/** tronweb's names of the contract's type and fields. */
function asTronweb(one: SweepContract): { readonly type: string; readonly value: object } {
  const owner = { owner_address: utils.address.toHex(one.owner) };
  switch (one.kind) {
    case 'activate':
      return { type: 'AccountCreateContract', value: { ...owner, account_address: utils.address.toHex(one.account) } };
    case 'coin':
      return {
        type: 'TransferContract',
        value: { ...owner, to_address: utils.address.toHex(one.to), amount: Number(one.amount) },
      };
    case 'token':
      return {
        type: 'TriggerSmartContract',
        value: {
          ...owner,
          contract_address: utils.address.toHex(one.contract),
          function_selector: 'transfer(address,uint256)',
          parameter: utils.abi.encodeParams(['address', 'uint256'], [one.to, one.amount]).slice(2),
        },
      };
    case 'flush': {
      const salts = one.salts.map((salt) => `0x${salt.slice(2).padStart(64, '0')}`);
      const types = ['address', 'uint256', 'bytes32[]'];
      return {
        type: 'TriggerSmartContract',
        value: {
          ...owner,
          contract_address: utils.address.toHex(one.factory),
          function_selector: 'flush(address,uint256,bytes32[])',
          parameter: utils.abi.encodeParams(types, [one.contract, one.energyEach, salts]).slice(2),
        },
      };
    }
    default:
      return {
        type: one.kind === 'delegate' ? 'DelegateResourceContract' : 'UnDelegateResourceContract',
        value: {
          ...owner,
          ...{ resource: 'ENERGY', balance: Number(one.balance), receiver_address: utils.address.toHex(one.receiver) },
          ...(one.kind === 'delegate' ? { lock: false, lock_period: 0 } : {}),
        },
      };
  }
}

/** The transaction of tronweb with this signature. */
function written(one: SweepContract, { refBlockBytes, refBlockHash, expiration, timestamp, feeLimit }: SweepTerms) {
  const { type, value } = asTronweb(one);
  const message = utils.transaction.txJsonToPb({
    raw_data: {
      ...{ ref_block_bytes: refBlockBytes, ref_block_hash: refBlockHash, expiration, timestamp },
      contract: [{ type, parameter: { value } }],
      ...(feeLimit === 0n ? {} : { fee_limit: Number(feeLimit) }),
    },
  });
  return message;
}

test('builds the same bytes and the same id as tronweb', () => {
  fc.assert(
    fc.property(contract, terms, fc.integer({ min: 1, max: 15e9 }), hex(65), (one, life, limit, signature) => {
      const given = { ...life, feeLimit: one.kind === 'token' || one.kind === 'flush' ? BigInt(limit) : 0n };
      const ours = tronSweepSigning(one, given);
      const theirs = written(one, given);
      expect(Buffer.from(ours.payload).toString('hex')).toBe(utils.transaction.txPbToTxID(theirs).slice(2));
      theirs.addSignature(Buffer.from(signature, 'hex').toString('base64'));
      const signed = ours.finish(Buffer.from(signature, 'hex'));
      expect(signed.bytes).toBe(Buffer.from(theirs.serializeBinary()).toString('hex'));
      expect(ours.bandwidth).toBe(signed.bytes.length / 2 + 64);
    }),
    { numRuns: 500 },
  );
});

test('refuses text that is no address, negative amounts and a signature of another length', () => {
  const life = { refBlockBytes: '0001', refBlockHash: '00'.repeat(8), expiration: 1, timestamp: 1, feeLimit: 0n };
  const good = { kind: 'coin' as const, owner: CONTRACT, to: CONTRACT, amount: 1n };
  expect(() => tronSweepSigning({ ...good, to: `${CONTRACT.slice(0, -1)}u` }, life)).toThrow('checksum');
  expect(() => tronSweepSigning({ ...good, amount: -1n }, life)).toThrow('negative');
  expect(() => tronSweepSigning(good, life).finish(new Uint8Array(64))).toThrow('no signature');
});
