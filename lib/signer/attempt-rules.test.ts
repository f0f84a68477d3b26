// When an intent may have another attempt, without signing. refund-signer.test.ts has the same with real drafts.

import { describe, expect, test } from 'vitest';
import type { MacKeys } from '@/lib/platform/crypto';
import type { Draft, Validity } from '@/lib/networks/sending/send';
import { makeOutcome, type Outcome } from '@/lib/signer/attestations/refund-evidence';
import { allowedOrder, KEY, NOW, refusalOf } from '@/testing/signer/rules-scene';
import { checkAttested, checkFollows, checkLapsed, MAX_ATTEMPTS } from './attempt-rules';
import type { Attempt } from './journal/journal-index';

const { order } = allowedOrder();
const tron: Draft = { family: 'tron', intentId: order.intentId, from: 'TR', unsigned: '00' };
const evm: Draft = { family: 'evm', intentId: order.intentId, from: order.to, unsigned: '0x00' };
const TIME: Validity = { kind: 'time', expiresAt: NOW / 1000 };
const HEIGHT: Validity = { kind: 'height', lastValidBlockHeight: 1_000 };
const attempt = (validity: Validity, draft: Draft = tron): Attempt => ({
  ...{ at: NOW, digest: '0'.repeat(64), draft, signed: { hash: 'abc', bytes: '00', validity } },
});
type Facts = Partial<Omit<Outcome, 'mac'>>;
const outcome = (facts: Facts = {}, key: MacKeys = KEY, environment: 'live' | 'test' = 'test'): Outcome =>
  makeOutcome(key, environment, {
    ...{ intentId: order.intentId, network: 'ethereum', hash: 'abc', outcome: 'lapsed', finalized: 2_000_000_000 },
    ...facts,
  });
type Clock = { readonly finalized?: number; readonly now?: number };
const lapsed = (validity: Validity, { finalized = 2_000_000_000, now = NOW + 10 ** 9 }: Clock = {}) =>
  refusalOf(() =>
    checkLapsed({ order, former: attempt(validity), outcome: outcome({ finalized }), evidenceKey: KEY, now }),
  );
const TOO_EARLY = 'conflict: the previous attempt may still land';
const NOT_ATTESTED = 'evidence: the watcher did not attest this outcome';
const ANOTHER = 'evidence: the outcome is about another attempt';

describe('an attempt has lapsed', () => {
  test('a minute after its time, by the chain and by the signer’s clock', () => {
    const end = NOW / 1000 + 60;
    expect(lapsed(TIME, { finalized: end, now: end * 1000 })).toBeNull();
    expect(lapsed(TIME, { finalized: end - 1, now: end * 1000 })).toBe(TOO_EARLY);
    expect(lapsed(TIME, { finalized: end, now: end * 1000 - 1 })).toBe(TOO_EARLY);
  });

  test('one finalization after its height, and ninety seconds after it was signed', () => {
    expect(lapsed(HEIGHT, { finalized: 1_032, now: NOW + 90_000 })).toBeNull();
    expect(lapsed(HEIGHT, { finalized: 1_031, now: NOW + 90_000 })).toBe(TOO_EARLY);
    expect(lapsed(HEIGHT, { finalized: 1_032, now: NOW + 89_999 })).toBe(TOO_EARLY);
  });

  test('never, when it has a nonce', () => {
    expect(lapsed({ kind: 'nonce', nonce: 0 })).toBe('conflict: a nonce does not lapse');
  });

  test('only by an outcome that says so', () => {
    const given = { order, former: attempt(TIME), evidenceKey: KEY, now: NOW + 10 ** 9 };
    expect(refusalOf(() => checkLapsed({ ...given, outcome: outcome({ outcome: 'reverted' }) }))).toBe(
      'evidence: the outcome does not say that the attempt lapsed',
    );
    expect(refusalOf(() => checkLapsed({ ...given, outcome: outcome({}, [Buffer.alloc(32)]) }))).toBe(NOT_ATTESTED);
  });
});

describe('an outcome counts', () => {
  const check = (given: Outcome, evidenceKey: MacKeys | null = KEY) =>
    refusalOf(() => checkAttested({ order, former: attempt(TIME), outcome: given, evidenceKey }));

  test('when the watcher attested it for this attempt', () => {
    expect(check(outcome())).toBeNull();
    expect(check(outcome({ outcome: 'reverted' }))).toBeNull();
  });

  test('not without the key, of another watcher, in another environment, or altered', () => {
    expect(check(outcome(), null)).toBe(NOT_ATTESTED);
    expect(check(outcome({}, [Buffer.alloc(32, 9)]))).toBe(NOT_ATTESTED);
    expect(check(outcome({}, KEY, 'live'))).toBe(NOT_ATTESTED);
    expect(check({ ...outcome(), finalized: 1 })).toBe(NOT_ATTESTED);
  });

  test.each<[string, Facts]>([
    ['intent', { intentId: 're_other' }],
    ['network', { network: 'bsc' }],
    ['transaction', { hash: 'abd' }],
  ])('not about another %s', (_, facts) => {
    expect(check(outcome(facts))).toBe(ANOTHER);
  });
});

describe('another attempt', () => {
  type Follow = { count?: number; former?: Attempt; draft?: Draft; lapsed?: Outcome | undefined };
  const follow = ({ count = 1, former = attempt(TIME), draft = tron, ...given }: Follow = {}) =>
    refusalOf(() =>
      checkFollows({
        ...{ order, former, count, draft, evidenceKey: KEY, now: NOW + 10 ** 9 },
        lapsed: 'lapsed' in given ? given.lapsed : outcome(),
      }),
    );

  test('follows one that lapsed, up to the limit', () => {
    expect(MAX_ATTEMPTS).toBe(60);
    expect([follow(), follow({ count: 59 })]).toEqual([null, null]);
    expect(follow({ count: 60 })).toBe('conflict: the intent has reached its limit of attempts');
  });

  test('needs the proof that the former one lapsed', () => {
    expect(follow({ lapsed: undefined })).toBe('conflict: the intent has an attempt that may still land');
    expect(follow({ lapsed: outcome({ hash: 'other' }) })).toBe(ANOTHER);
    expect(follow({ former: attempt({ kind: 'nonce', nonce: 0 }) })).toBe('conflict: a nonce does not lapse');
  });

  test('on EVM replaces the former one, so that its bytes are read and no outcome counts', () => {
    expect(follow({ former: attempt({ kind: 'nonce', nonce: 0 }, evm), draft: evm })).toMatch(/^draft: /);
    // A draft of another family is no replacement.
    expect(follow({ former: attempt(TIME, evm), lapsed: undefined })).toMatch(/may still land$/);
    expect(follow({ draft: evm, lapsed: undefined })).toMatch(/may still land$/);
  });
});
