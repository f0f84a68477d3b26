import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SendHold, type AttemptOutcome, type HoldReason } from './send';
import { acceptedBy, enoughVotes, agreeOnOutcome, agreeOnKind, latestOf } from './verdict';

const block = { number: 5, hash: 'b', parentHash: 'a', time: 1 };
const waiting: AttemptOutcome = { kind: 'waiting' };
const seen: AttemptOutcome = { kind: 'seen', hash: 'h', confirmations: 3 };
const landed: AttemptOutcome = { kind: 'landed', hash: 'h', block };
const reverted: AttemptOutcome = { kind: 'reverted', hash: 'h', reason: 'why' };
const lapsed: AttemptOutcome = { kind: 'lapsed', reason: 'why' };
const pruned: AttemptOutcome = { kind: 'pruned', reason: 'why' };
const elsewhere: AttemptOutcome = { kind: 'landed', hash: 'h', block: { ...block, hash: 'other' } };

describe('agreement on the outcome of a payment', () => {
  it.each([
    [[landed, landed], landed],
    [
      [
        { ...landed, fee: 9n },
        { ...landed, fee: 7n },
      ],
      { ...landed, fee: 7n },
    ],
    [[{ ...reverted, fee: 9n }, reverted], { ...reverted, fee: 9n }],
    [[lapsed, lapsed, waiting], lapsed],
    [[reverted, waiting, reverted], reverted],
    [[landed, waiting], { kind: 'seen', hash: 'h', confirmations: 1, alone: true }],
    [[landed, seen], seen],
    // Our own broadcast put it into the mempool of an endpoint whose chain is stuck.
    [[landed, { ...seen, confirmations: 0 }], { ...seen, confirmations: 1, alone: true }],
    [[reverted], { kind: 'seen', hash: 'h', confirmations: 1 }],
    [[lapsed, waiting], waiting],
    [[lapsed], waiting],
    [[lapsed, lapsed, seen], { ...seen, alone: true }],
    [[waiting, { ...seen, confirmations: 1 }, seen], seen],
    // One endpoint alone may be on a fork; if only one answers, there is nothing better.
    [[seen, waiting, waiting], { ...seen, alone: true }],
    [[{ ...seen, confirmations: 0 }, waiting], { ...seen, confirmations: 0 }],
    [[seen], seen],
    [[waiting, waiting], waiting],
    [[pruned, pruned], pruned],
    [[lapsed, pruned], pruned],
    [[landed, pruned], pruned],
    [[lapsed, lapsed, pruned], lapsed],
    [[landed, landed, pruned], landed],
    [[pruned, waiting], waiting],
    [[pruned, seen], { ...seen, alone: true }],
  ] as const)('of %o: %o', (votes, expected) => {
    expect(agreeOnOutcome(votes, 2)).toEqual(expected);
  });

  it.each(
    [
      [landed, lapsed],
      [landed, reverted],
      [reverted, lapsed],
      [landed, elsewhere],
    ].map((votes) => ({ votes })),
  )('final outcomes that exclude each other settle nothing: $votes', ({ votes }) => {
    expect(() => agreeOnOutcome([...votes, ...votes], 2)).toThrow(expect.objectContaining({ fault: 'contradiction' }));
  });

  it('no outcome is final without enough endpoints, and no payment lapses while an endpoint sees it', () => {
    const vote = fc.constantFrom(waiting, seen, landed, reverted, lapsed, pruned);
    fc.assert(
      fc.property(fc.array(vote, { minLength: 1, maxLength: 6 }), fc.integer({ min: 1, max: 4 }), (votes, needed) => {
        let outcome: AttemptOutcome;
        try {
          outcome = agreeOnOutcome(votes, needed);
        } catch {
          return;
        }
        if (outcome.kind === 'waiting' || outcome.kind === 'seen' || outcome.kind === 'pruned') return;
        expect(votes.filter((one) => one.kind === outcome.kind).length).toBeGreaterThanOrEqual(needed);
        const others = votes.filter(({ kind }) => kind !== outcome.kind && kind !== 'waiting' && kind !== 'seen');
        expect(others.filter(({ kind }) => kind !== 'pruned')).toEqual([]);
        if (outcome.kind === 'lapsed') expect(votes).not.toContain(seen);
      }),
    );
  });
});

it('the kind of an address is known when enough endpoints report it and fewer contradict them', () => {
  expect(agreeOnKind(['wallet', 'wallet'], 2)).toBe('wallet');
  expect(agreeOnKind(['contract'], 1)).toBe('contract');
  expect(agreeOnKind(['wallet'], 2)).toBe('unknown');
  expect(agreeOnKind(['wallet', 'contract', 'wallet'], 2)).toBe('wallet');
  expect(agreeOnKind(['wallet', 'contract'], 2)).toBe('unknown');
  expect(agreeOnKind(['wallet', 'contract', 'wallet'], 1)).toBe('unknown');
  expect(agreeOnKind(['wallet', 'contract', 'wallet', 'contract'], 2)).toBe('unknown');
  expect(agreeOnKind([], 1)).toBe('unknown');
});

it('the transactions of the refund wallet are unknown when too few endpoints answer', () => {
  expect(enoughVotes([[], []], 2)).toEqual({ votes: [[], []], needed: 2 });
  expect(() => enoughVotes([[]], 2)).toThrow(/1 endpoints/);
});

describe('the endpoints that refuse a broadcast', () => {
  const holds = (...reasons: HoldReason[]) => reasons.map((reason) => new SendHold(reason, `because of ${reason}`));

  it('of which any reports that the fee is too low, cause a replacement with a higher fee', () => {
    expect(() => acceptedBy(holds('no_fee_coin', 'fee_too_low'))).toThrow('because of fee_too_low');
    expect(() => acceptedBy(holds('fee_too_low', 'fee_too_high'))).toThrow('because of fee_too_low');
  });

  it('cause the hold of the first endpoint otherwise', () => {
    expect(() => acceptedBy(holds('no_fee_coin', 'fee_too_high'))).toThrow('because of no_fee_coin');
  });

  it('cause no hold when another endpoint took the transaction', () => {
    expect(acceptedBy([...holds('fee_too_low'), 'known'])).toBe('known');
    expect(acceptedBy([...holds('fee_too_low'), 'known', 'accepted'])).toBe('accepted');
  });
});

describe('latestOf', () => {
  const votes = [
    { endpoint: 'endpoint 1', time: 100 },
    { endpoint: 'endpoint 2', time: 160 },
  ];
  it('takes the latest block, so that an endpoint that lags cannot hide a slow clock', () => {
    expect(latestOf(votes, 2)).toEqual(votes[1]);
  });
  it('throws while fewer endpoints answer than needed', () => {
    expect(() => latestOf(votes.slice(0, 1), 2)).toThrow('1 endpoints report their newest block, not 2');
  });
});
