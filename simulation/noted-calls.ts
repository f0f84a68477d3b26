// Every order that the worker asked the signer to sign, alone or in a batch, with what the world said when the call began. The checks judge
// payments by the first of these calls that got a signature.

import type { Call } from '@/lib/signer/calls';
import type { BatchParams } from '@/lib/signer/orders';
import type { ColdCall, ColdLook } from './cold/signed';
import { callOf, noteCall, noteTogether, type Answer, type SignCall } from './payouts/signed';
import { guardedCallOf, lookAtNothing, type GuardedCall, type StopLook } from './stops/signed';

export type NotedCalls = {
  /** What it was asked to sign for payouts since the history began. */
  readonly payouts: readonly SignCall[];
  /** What it was asked to sign for cold transfers. */
  readonly cold: readonly ColdCall[];
  /** What it was asked to sign for refunds, payouts and cold transfers. */
  readonly guarded: readonly GuardedCall[];
  /** What the world says at the moment of a call for a cold transfer. */
  look: ColdLook;
  /** What stands in the way of a payment. */
  stopLook: StopLook;
};

type Notes = {
  readonly calls: NotedCalls;
  /** Forgets all calls, and no look is taken any more. */
  readonly clear: () => void;
  /** Notes a call of the protocol, if it asks for signatures of payments, and makes it. */
  readonly answered: (name: string, call: Call, params: unknown) => Promise<object> | null;
};

const lookNowhere: ColdLook = () => ({ final: 0, balance: 0n, refunds: [], payouts: [] });

/** `now`: Unix milliseconds of the history. */
export function openNotes(now: () => number): Notes {
  const payouts: SignCall[] = [];
  const cold: ColdCall[] = [];
  const guarded: GuardedCall[] = [];
  const calls: NotedCalls = { payouts, cold, guarded, look: lookNowhere, stopLook: lookAtNothing };
  const noteOrder =
    (params: unknown) =>
    (answer: Answer): Promise<object> | null => {
      const at = now();
      const asked = guardedCallOf(params, at, calls.stopLook);
      const inner = (): Promise<object> | null => (asked ? noteCall(guarded, asked, answer) : answer());
      const payout = callOf(params, 'payout', at);
      if (payout) return noteCall(payouts, payout, inner);
      const transfer = callOf(params, 'cold', at);
      return transfer ? noteCall(cold, { ...transfer, facts: calls.look(transfer) }, inner) : inner();
    };
  return {
    calls,
    clear: () => {
      for (const list of [payouts, cold, guarded]) list.length = 0;
      Object.assign(calls, { look: lookNowhere, stopLook: lookAtNothing });
    },
    answered: (name, call, params) => {
      const answer = (): Promise<object> | null => call(params);
      if (name === 'sign') return noteOrder(params)(answer);
      if (name !== 'sign-batch') return answer();
      const { orders = [] } = params as Partial<BatchParams>;
      return noteTogether(
        orders.map((order) => noteOrder({ order })),
        answer,
      );
    },
  };
}
