import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isEvidence, isOutcome, makeEvidence, makeOutcome } from './refund-evidence';

const key = [Buffer.alloc(32, 3)] as const;
const text = fc.stringMatching(/^[!#-[\]-~]{1,20}$/);
const evidence = fc.record({
  kind: fc.constantFrom('payer' as const, 'claim' as const),
  session: text,
  network: text,
  address: text,
  reference: text,
  mostCents: fc.nat().map(String),
});
const outcome = fc.record({
  intentId: text,
  network: text,
  hash: text,
  outcome: fc.constantFrom('lapsed' as const, 'reverted' as const),
  finalized: fc.nat(),
});

test('an attestation is accepted unchanged and rejected with any other field, key or environment', () => {
  fc.assert(
    fc.property(evidence, evidence, (said, other) => {
      const made = makeEvidence(key, 'test', said);
      expect(isEvidence(key, 'test', made)).toBe(true);
      expect(isEvidence(key, 'live', made)).toBe(false);
      expect(isEvidence([Buffer.alloc(32, 4)], 'test', made)).toBe(false);
      for (const field of Object.keys(said) as (keyof typeof said)[]) {
        const changed = { ...made, [field]: other[field] };
        expect(isEvidence(key, 'test', changed)).toBe(said[field] === other[field]);
      }
    }),
  );
  fc.assert(
    fc.property(outcome, outcome, (said, other) => {
      const made = makeOutcome(key, 'live', said);
      expect(isOutcome(key, 'live', made)).toBe(true);
      expect(isOutcome(key, 'test', made)).toBe(false);
      for (const field of Object.keys(said) as (keyof typeof said)[]) {
        const changed = { ...made, [field]: other[field] };
        expect(isOutcome(key, 'live', changed)).toBe(said[field] === other[field]);
      }
    }),
  );
});

test('moving a character from one field to the next invalidates the attestation', () => {
  const said = { kind: 'payer', session: 'ab', network: 'c', address: 'd', reference: 'e', mostCents: '1' } as const;
  const { mac } = makeEvidence(key, 'test', said);
  expect(isEvidence(key, 'test', { ...said, session: 'a', network: 'bc', mac })).toBe(false);
});
