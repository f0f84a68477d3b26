// What the worker asked the signer to sign for payouts and cold transfers, in order: the moment that decides whether an address may still
// be paid.

import type { SignParams } from '@/lib/signer/orders';
import { Refusal } from '@/lib/signer/refusal';

/** `called`: the answer was lost, so the journal may have it. `at`: Unix milliseconds. */
export type SignCall = {
  readonly id: string;
  readonly network: string;
  readonly currency: string;
  readonly to: string;
  /** Base units. */
  readonly amount: bigint;
  readonly at: number;
  state: 'called' | 'signed' | 'refused';
};

type Kind = SignParams['order']['evidence']['kind'];
export type Answer = () => Promise<object> | null;

/** The call as it begins; null for an order of another kind. */
export function callOf(params: unknown, kind: Kind, at: number): SignCall | null {
  const { order } = params as Partial<SignParams>;
  if (order?.evidence.kind !== kind) return null;
  const { intentId: id, network, currency, to, amount } = order;
  return { id, network, currency, to, amount: BigInt(amount), at, state: 'called' };
}

/** Notes the call before the signer answers it, because its place among the others is that of its beginning. Null: out of bounds. */
export function noteCall<Call extends SignCall>(calls: Call[], noted: Call, answer: Answer): Promise<object> | null {
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

/** By payment, the first call that got a signature, with its place among all calls. */
export function firstSigned<Call extends SignCall>(
  calls: readonly Call[],
  isSigned: (id: string) => boolean,
): ReadonlyMap<string, Call & { readonly place: number }> {
  const first = new Map<string, Call & { readonly place: number }>();
  for (const [place, call] of calls.entries()) {
    const isPossible = call.state === 'signed' || (call.state === 'called' && isSigned(call.id));
    if (isPossible && !first.has(call.id)) first.set(call.id, { ...call, place });
  }
  return first;
}

/** Notes several calls that one answer decides, in their order. */
export function noteTogether(
  notes: readonly ((answer: Answer) => Promise<object> | null)[],
  answer: Answer,
): Promise<object> | null {
  return notes.reduceRight<Answer>((inner, note) => () => note(inner), answer)();
}
