import fc from 'fast-check';
import { getAddress, recoverAddress, Signature, Transaction, verifyAuthorization, Wallet } from 'ethers';
import { describe, expect, test } from 'vitest';
import { evmAddress } from '@/lib/treasury/wallets/derivation';
import { secpAccount } from '@/lib/treasury/wallets/secp-account';
import { authorizationSigning, sweepSigning, type Authorization, type SweepTransaction } from './sweep-transaction';

const hex = (bytes: number, least = bytes) =>
  fc.uint8Array({ minLength: least, maxLength: bytes }).map((value) => `0x${Buffer.from(value).toString('hex')}`);
const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).filter((value) => value.some((byte, at) => at > 0 && byte));
const wei = fc.bigInt({ min: 0n, max: 2n ** 96n });
const delegation = fc.record({ chainId: fc.integer({ min: 1 }), address: hex(20), nonce: fc.integer({ min: 0 }) });
/** Small values of r and s too, whose leading zeros the transaction leaves out. */
const scalar = fc.oneof(
  hex(32),
  hex(31, 0).map((short) => `0x${short.slice(2).padStart(64, '0')}`),
);
const authorization: fc.Arbitrary<Authorization> = fc
  .tuple(delegation, fc.constantFrom(0 as const, 1 as const), scalar, scalar)
  .map(([allowed, yParity, r, s]) => ({ ...allowed, yParity, r, s: `0x0${s.slice(3)}` }));
const transaction: fc.Arbitrary<SweepTransaction> = fc
  .record({
    chainId: fc.integer({ min: 1 }),
    nonce: fc.integer({ min: 0 }),
    maxFeePerGas: wei,
    tip: wei,
    gasLimit: fc.bigInt({ min: 0n, max: 2n ** 40n }),
    to: hex(20),
    value: wei,
    data: hex(300, 0),
    authorizations: fc.array(authorization, { maxLength: 3 }),
  })
  .map(({ tip, ...rest }) => ({ ...rest, maxPriorityFeePerGas: tip < rest.maxFeePerGas ? tip : rest.maxFeePerGas }));

const inEthers = ({ authorizations, ...fields }: SweepTransaction): Transaction => {
  const tuples = authorizations.map(({ chainId, address, nonce, ...signature }) => {
    const allowed = { chainId: BigInt(chainId), address: getAddress(address), nonce: BigInt(nonce) };
    return { ...allowed, signature: Signature.from(signature) };
  });
  return Transaction.from({ ...fields, ...(tuples.length > 0 ? { type: 4, authorizationList: tuples } : { type: 2 }) });
};

describe('the transaction of a sweep', () => {
  test('has the digest, the signed bytes and the hash that ethers gives it', () => {
    fc.assert(
      fc.property(transaction, key, (one, privateKey) => {
        const expected = inEthers(one);
        const account = secpAccount(privateKey, evmAddress);
        const { payload, finish } = sweepSigning(one);
        expect(`0x${Buffer.from(payload).toString('hex')}`).toBe(expected.unsignedHash);
        const { bytes, hash } = finish(account.sign(payload));
        const wallet = new Wallet(`0x${Buffer.from(privateKey).toString('hex')}`);
        expected.signature = wallet.signingKey.sign(expected.unsignedHash);
        expect(bytes).toBe(expected.serialized);
        expect(hash).toBe(expected.hash);
        expect(Transaction.from(bytes).from?.toLowerCase()).toBe(account.address);
      }),
      { numRuns: 150 },
    );
  });

  test('refuses a signature of another length or with another recovery', () => {
    const one = fc.sample(transaction, 1)[0] as SweepTransaction;
    for (const signature of [Buffer.alloc(64), Buffer.alloc(66), Buffer.alloc(65, 2)])
      expect(() => sweepSigning(one).finish(signature)).toThrow(/no signature/);
  });
});

describe('an authorization', () => {
  test('is what ethers signs, and recovers to the deposit address', () => {
    fc.assert(
      fc.property(delegation, key, (allowed, privateKey) => {
        const wallet = new Wallet(`0x${Buffer.from(privateKey).toString('hex')}`);
        const account = secpAccount(privateKey, evmAddress);
        const { payload, finish } = authorizationSigning(allowed);
        const signed = finish(account.sign(payload));
        const { signature } = wallet.authorizeSync(allowed);
        expect(signed).toEqual({ ...allowed, yParity: signature.yParity, r: signature.r, s: signature.s });
        expect(recoverAddress(payload, signature).toLowerCase()).toBe(account.address);
        expect(verifyAuthorization(allowed, signature).toLowerCase()).toBe(account.address);
      }),
      { numRuns: 100 },
    );
  });

  test('is never for chain 0, which means every chain', () => {
    for (const chainId of [0, -1, 0.5, Number.NaN])
      expect(() => authorizationSigning({ chainId, address: `0x${'1'.repeat(40)}`, nonce: 0 })).toThrow(/one chain/);
  });
});
