import { expect, test } from 'vitest';
import { CaseState, SessionStatus } from '@/prisma/generated/enums';
import { allowedActions, CASE_MOVES, type CaseSituation } from './states';

const actions = (state: CaseState, over: Partial<CaseSituation> = {}) =>
  allowedActions({ state, sessionStatus: 'expired', refund: null, ...over });
const byState = (over: Partial<CaseSituation>) =>
  Object.fromEntries(Object.values(CaseState).map((state) => [state, actions(state, over)]));

test('a payment is accepted while the price is missing, and can go back until it has completed the session', () => {
  for (const sessionStatus of Object.values(SessionStatus).filter((one) => one !== 'completed')) {
    expect(byState({ sessionStatus })).toEqual({
      open: ['accept', 'refund', 'leave'],
      left: ['accept', 'refund'],
      accepted: ['refund'],
      refund: [],
      kept: [],
    });
  }
});

test('what is more than the price is kept or sent back, and never accepted', () => {
  expect(byState({ sessionStatus: 'completed' })).toEqual({
    open: ['keep', 'refund', 'leave'],
    left: ['keep', 'refund'],
    accepted: [],
    refund: [],
    kept: [],
  });
});

test('a refund that failed or was canceled can be asked for again, and one that is on its way cannot', () => {
  for (const refund of ['failed', 'canceled'] as const) expect(actions('refund', { refund })).toEqual(['refund']);
  for (const refund of ['pending', 'processing', 'completed'] as const)
    expect(actions('refund', { refund })).toEqual([]);
});

test('no decision leads back to an open case', () => {
  expect(Object.values(CASE_MOVES).map(({ to }) => to)).not.toContain('open');
});
