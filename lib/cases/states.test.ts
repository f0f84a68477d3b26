import { expect, test } from 'vitest';
import { CaseState } from '@/prisma/generated/enums';
import { allowedActions, CASE_MOVES, caseOwed } from './states';

test('what can be done follows from the state: money that was moved by a decision is not moved by another', () => {
  expect(Object.fromEntries(Object.values(CaseState).map((state) => [state, allowedActions(state)]))).toEqual({
    open: ['accept', 'refund', 'leave'],
    left: ['accept', 'refund'],
    accepted: [],
    refund: [],
  });
});

test('no decision leads back to an open case, nor to where it starts', () => {
  for (const { from, to } of Object.values(CASE_MOVES)) {
    expect(to).not.toBe('open');
    expect(from).not.toContain(to);
  }
});

test.each([
  ['late', 'unresolved'],
  ['wrong_token', 'unresolved'],
  ['wrong_network', 'unresolved'],
  ['unfinished', 'unresolved'],
  ['over', 'store'],
] as const)('until it is decided about, the coins of a case of kind %s are owed to: %s', (kind, owed) => {
  expect(Object.values(CaseState).map((state) => [state, caseOwed(kind, state)])).toEqual([
    ['open', owed],
    ['accepted', 'store'],
    ['refund', 'refund'],
    ['left', owed],
  ]);
});
