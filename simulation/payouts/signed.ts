// What the worker asked the signer to sign for payouts, in order: the moment that decides whether an address may still be paid.

import type { SignParams } from '@/lib/signer/orders';
import { Refusal } from '@/lib/signer/refusal';

/** `called`: the answer was lost, so the journal may have it. `at`: Unix milliseconds. */
export type PayoutCall = {
  readonly id: string;
  readonly network: string;
  readonly currency: string;
  readonly to: string;
  /** Base units. */
  readonly amount: bigint;
  readonly at: number;
  state: 'called' | 'signed' | 'refused';
};

/** Notes the call before the signer answers it, because its place among the others is that of its beginning. Null: out of bounds. */
export function notePayout(
  calls: PayoutCall[],
  params: unknown,
  { at, answer }: { readonly at: number; readonly answer: () => Promise<object> | null },
): Promise<object> | null {
  const { order } = params as Partial<SignParams>;
  if (order?.evidence.kind !== 'payout') return answer();
  const { intentId: id, network, currency, to, amount } = order;
  const noted: PayoutCall = { id, network, currency, to, amount: BigInt(amount), at, state: 'called' };
  calls.push(noted);
  const signing = answer()?.then(
    (given) => {
      noted.state = 'signed';
      return given;
    },
    (error: unknown) => {
      if (error instanceof Refusal) noted.state = 'refused';
      throw error;
    },
  );
  return signing ?? null;
}

/** By payout, the first call that got a signature, with its place among all calls. */
export function firstSigned(
  calls: readonly PayoutCall[],
  isSigned: (id: string) => boolean,
): ReadonlyMap<string, PayoutCall & { readonly place: number }> {
  const first = new Map<string, PayoutCall & { readonly place: number }>();
  for (const [place, call] of calls.entries()) {
    const isPossible = call.state === 'signed' || (call.state === 'called' && isSigned(call.id));
    if (isPossible && !first.has(call.id)) first.set(call.id, { ...call, place });
  }
  return first;
}
