import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isAttested, transferMac, type TransferFacts } from './payer-evidence';

const key = [randomBytes(32)] as const;
const text = fc.string({ maxLength: 20 });
const whole = fc.nat();
const facts: fc.Arbitrary<TransferFacts> = fc.record({
  environment: fc.constantFrom('live', 'test'),
  network: text,
  genesis: text,
  sessionId: text,
  transactionHash: text,
  ordinal: whole,
  blockNumber: whole,
  blockHash: text,
  blockTime: whole,
  currency: text,
  contract: text,
  payer: text,
  recipient: text,
  amount: fc.bigInt({ min: 0n, max: 2n ** 256n }),
  decimals: whole,
  isPlain: fc.constantFrom(true, false, null),
});

test('an attestation is valid for exactly the transfer that the watcher stored', () => {
  fc.assert(fc.property(facts, (one) => isAttested(key, one, transferMac(key, one))));
});

test('changing any fact of a transfer invalidates the attestation', () => {
  const names = fc.constantFrom(...(Object.keys(fc.sample(facts, 1)[0] as TransferFacts) as (keyof TransferFacts)[]));
  fc.assert(
    fc.property(facts, facts, names, (one, other, name) => {
      fc.pre(one[name] !== other[name]);
      return !isAttested(key, { ...one, [name]: other[name] }, transferMac(key, one));
    }),
  );
});

test('an attestation under another key, or a missing one, is rejected', () => {
  const [one] = fc.sample(facts, 1) as [TransferFacts];
  expect(isAttested(key, one, transferMac([randomBytes(32)], one))).toBe(false);
  expect(isAttested(key, one, null)).toBe(false);
  expect(isAttested(key, one, new Uint8Array(0))).toBe(false);
});

test('an attestation under a former key is valid while the ring has that key', () => {
  const [one] = fc.sample(facts, 1) as [TransferFacts];
  const next = randomBytes(32);
  expect(isAttested([next, ...key], one, transferMac(key, one))).toBe(true);
  expect(isAttested([...key, next], one, transferMac([next, ...key], one))).toBe(true);
  expect(isAttested([next], one, transferMac([next, ...key], one))).toBe(true);
  expect(isAttested([next], one, transferMac(key, one))).toBe(false);
});
