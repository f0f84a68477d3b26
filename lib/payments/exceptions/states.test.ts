import { expect, test } from 'vitest';
import { ExceptionState, SessionStatus } from '@/prisma/generated/enums';
import { allowedActions, EXCEPTION_ACTIONS, EXCEPTION_MOVES, type ExceptionSituation } from './states';

const actions = (state: ExceptionState, over: Partial<ExceptionSituation> = {}) =>
  allowedActions({ state, sessionStatus: 'expired', refund: null, ...over });
const byState = (over: Partial<ExceptionSituation>) =>
  Object.fromEntries(Object.values(ExceptionState).map((state) => [state, actions(state, over)]));

test('a payment can be accepted while the price is not reached, and refunded until it has completed the session', () => {
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

test('a surplus can be kept or refunded, but never accepted', () => {
  expect(byState({ sessionStatus: 'completed' })).toEqual({
    open: ['keep', 'refund', 'leave'],
    left: ['keep', 'refund'],
    accepted: [],
    refund: [],
    kept: [],
  });
});

test('a failed or canceled refund can be requested again, but not a pending one', () => {
  for (const refund of ['failed', 'canceled'] as const) expect(actions('refund', { refund })).toEqual(['refund']);
  for (const refund of ['pending', 'processing', 'completed'] as const)
    expect(actions('refund', { refund })).toEqual([]);
});

test('no decision leads back to an open exception', () => {
  expect(EXCEPTION_ACTIONS.map((action) => EXCEPTION_MOVES[action].to)).not.toContain('open');
});
