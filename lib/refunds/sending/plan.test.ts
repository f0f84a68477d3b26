import { describe, expect, it } from 'vitest';
import type { AttemptStatus } from '@/prisma/generated/enums';
import { MAX_SIGNED, nextAction, URGENCY, type Action } from './plan';
import type { Attempt } from '@/lib/refunds/attempts';

const now = new Date('2026-11-21T12:00:00Z');
const CHAIN = 7;
const refund = { id: 're_1', hold: null, signAfter: now };

const attempt = (number: number, status: AttemptStatus, chainId = CHAIN): Attempt => {
  const draft = { family: 'evm', intentId: 're_1', from: '0xf', unsigned: `0x${number}` } as const;
  const fields = { id: String(number), number, chainId, draft, lapsed: null, draftedAt: now };
  if (status === 'drafted' || status === 'refused') return { ...fields, status, hash: null };
  const validity = { kind: 'nonce', nonce: 0 } as const;
  const signed = {
    hash: `0x${number}`,
    bytes: '0x',
    validity,
    signedAt: now,
    sentAt: null,
    seenAt: null,
    judged: null,
  };
  return { ...fields, status, ...signed };
};
const made = (...statuses: AttemptStatus[]) => statuses.map((status, index) => attempt(index + 1, status));
/** The action's kind and the numbers of the attempts that it is about. */
const planOf = (attempts: readonly Attempt[], over: Partial<typeof refund> = {}): readonly unknown[] => {
  const action = nextAction({ ...refund, ...over }, attempts, { now, chainId: CHAIN });
  switch (action.kind) {
    case 'none':
    case 'wait':
      return [action.kind];
    case 'abandon':
      return [action.kind, ...action.attempts.map(({ number }) => number)];
    case 'settle':
    case 'broadcast':
      return [action.kind, action.attempt.number, action.live.map(({ number }) => number)];
    case 'follow':
      return [action.kind, ...action.live.map(({ number }) => number)];
    case 'draft':
      return [action.kind, action.lapsed?.number ?? null];
  }
};

describe('the next action for a refund', () => {
  it.each<[AttemptStatus[], readonly unknown[]]>([
    [[], ['draft', null]],
    [['refused'], ['draft', null]],
    [
      ['refused', 'refused'],
      ['draft', null],
    ],
    [['lapsed'], ['draft', 1]],
    [
      ['lapsed', 'refused'],
      ['draft', 1],
    ],
    [
      ['lapsed', 'lapsed'],
      ['draft', 2],
    ],
    [['drafted'], ['settle', 1, []]],
    [
      ['refused', 'drafted'],
      ['settle', 2, []],
    ],
    [
      ['lapsed', 'drafted'],
      ['settle', 2, []],
    ],
    [
      ['sent', 'drafted'],
      ['settle', 2, [1]],
    ],
    [
      ['signed', 'drafted'],
      ['settle', 2, [1]],
    ],
    [['signed'], ['broadcast', 1, [1]]],
    [
      ['refused', 'signed'],
      ['broadcast', 2, [2]],
    ],
    [
      ['sent', 'signed'],
      ['broadcast', 2, [2, 1]],
    ],
    [
      ['lapsed', 'signed'],
      ['broadcast', 2, [2]],
    ],
    [['sent'], ['follow', 1]],
    [
      ['sent', 'refused'],
      ['follow', 1],
    ],
    [
      ['signed', 'sent'],
      ['follow', 2, 1],
    ],
    [
      ['sent', 'sent', 'sent'],
      ['follow', 3, 2, 1],
    ],
    [
      ['lapsed', 'sent'],
      ['follow', 2],
    ],
    [['replaced'], ['draft', 1]],
  ])('after %j is %j', (statuses, plan) => {
    expect(planOf(made(...statuses))).toEqual(plan);
  });

  it('waits for the end of the waiting period before anything is signed, and for nothing afterwards', () => {
    const signAfter = new Date(now.getTime() + 1);
    for (const statuses of [[], ['refused'], ['lapsed']] as AttemptStatus[][]) {
      expect(planOf(made(...statuses), { signAfter })).toEqual(['wait']);
    }
    expect(planOf(made('drafted'), { signAfter })[0]).toBe('settle');
    expect(planOf(made('signed'), { signAfter })[0]).toBe('broadcast');
    expect(planOf(made('sent'), { signAfter })[0]).toBe('follow');
  });

  it('is none while an operator has to decide, whatever its attempts are', () => {
    for (const status of ['drafted', 'signed', 'sent', 'lapsed', 'landed'] as const) {
      expect(nextAction({ ...refund, hold: 'unclear' }, made(status), { now, chainId: CHAIN })).toEqual({
        kind: 'none',
      });
    }
  });

  it('does not continue with attempts that were made for another chain', () => {
    const other = CHAIN - 1;
    for (const status of ['drafted', 'signed', 'sent'] as const) {
      expect(planOf([attempt(1, status, other)])).toEqual(['abandon', 1]);
    }
    expect(planOf([attempt(1, 'refused', other), attempt(2, 'sent')])).toEqual(['follow', 2]);
  });

  it.each(['landed', 'reverted'] as const)('is never a second payment after one has %s', (status) => {
    expect(() => planOf(made(status))).toThrow('has ended, but the payment has not');
    expect(() => planOf(made(status, 'sent'))).toThrow('has ended, but the payment has not');
  });

  it('is the last draft when one more signature would be the last that is allowed', () => {
    const lapsed = (count: number) => made(...Array<AttemptStatus>(count).fill('lapsed'));
    const draft = (attempts: readonly Attempt[]) => nextAction(refund, attempts, { now, chainId: CHAIN });
    expect(MAX_SIGNED).toBe(50);
    expect(draft(lapsed(MAX_SIGNED - 1))).toMatchObject({ kind: 'draft', isLast: false });
    expect(draft(lapsed(MAX_SIGNED))).toMatchObject({ kind: 'draft', isLast: true });
    // A refused draft has no signature.
    const refused = Array.from({ length: MAX_SIGNED }, (_, n) => attempt(n + 1, 'refused'));
    expect(draft(refused)).toMatchObject({ kind: 'draft', isLast: false, lapsed: null });
  });

  it('of a refund whose payment may be signed comes before a new draft', () => {
    const byUrgency = (Object.keys(URGENCY) as Action['kind'][]).toSorted(
      (one, other) => URGENCY[one] - URGENCY[other],
    );
    expect(byUrgency).toEqual(['settle', 'abandon', 'broadcast', 'follow', 'none', 'wait', 'draft']);
    expect([URGENCY.abandon === URGENCY.broadcast, URGENCY.none === URGENCY.wait]).toEqual([true, true]);
  });
});
