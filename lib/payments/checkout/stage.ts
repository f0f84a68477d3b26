// Which of its faces the hosted page shows, derived from the view alone. Pure, so that every face can be tested; the
// client part imports `fingerprint` only.

import type { CheckoutView, PayMethod, PublicStatus } from './view';

/**
 * `pay`: something is awaited. `confirming`: all of it has been seen. `checking`: time is over, the networks are not read
 * that far yet. `unavailable`: something is awaited and no network can be offered. The rest are the session's own ends.
 */
export type Stage = 'pay' | 'confirming' | 'checking' | 'unavailable' | 'paid' | 'expired' | 'canceled' | 'failed';

/** The face for a view. */
export function stageOf({ facts, methods, missing, serverTime }: CheckoutView): Stage {
  switch (facts.status) {
    case 'completed':
      return 'paid';
    case 'expired':
    case 'canceled':
    case 'failed':
      return facts.status;
    case 'pending':
      if (missing === '0.00') return 'confirming';
      if (serverTime >= facts.expires_at) return 'checking';
      return methods.length > 0 ? 'pay' : 'unavailable';
  }
}

/** Whether a parameter of the page's address can name a method. `proxy.ts` remembers it in a cookie for all payments. */
export const isMethodName = (text: string | null): text is string =>
  /^[a-z][a-z0-9]{1,15}-[A-Z]{3,5}$/.test(text ?? '');

/** How a method is written in the page's address: `bsc-USDT`. */
export const methodName = ({ network, currency }: Pick<PayMethod, 'network' | 'currency'>): string =>
  `${network}-${currency}`;

/**
 * The method asked for in the address; else the one that a part was paid with, since the rest most likely comes from the
 * same wallet; else the one chosen for the last payment; else the cheapest network's; else the first. Null when there is none.
 */
export function chosenMethod(
  { methods, seen }: Pick<CheckoutView, 'methods' | 'seen'>,
  asked: string | undefined,
  remembered?: string,
  cheapest: string | null = null,
): PayMethod | null {
  const named = (name: string | undefined) => methods.find((method) => methodName(method) === name);
  const onNetwork = (name: string | null) => methods.find(({ network }) => network === name);
  return named(asked) ?? named(paidWith(seen)) ?? named(remembered) ?? onNetwork(cheapest) ?? methods[0] ?? null;
}

/** The method of the last part that counts; undefined when there is none. */
function paidWith(seen: CheckoutView['seen']): string | undefined {
  const paid = seen.findLast(({ verdict }) => verdict === 'counts');
  return paid && methodName(paid);
}

/** The method that a switch to this network or currency leads to: the other half stays what it was where that is offered. */
export function switchedMethod(
  methods: readonly PayMethod[],
  from: PayMethod,
  to: Partial<PayMethod>,
): PayMethod | null {
  const fitting = methods.filter(
    (method) =>
      method.network === (to.network ?? method.network) && method.currency === (to.currency ?? method.currency),
  );
  const other = to.network === undefined ? 'network' : 'currency';
  return fitting.find((method) => method[other] === from[other]) ?? fitting[0] ?? null;
}

/** Where to pay instead while the network of the chosen method cannot be read: one method on each of the others that can. */
export function readableInstead(
  { methods, lagging }: Pick<CheckoutView, 'methods' | 'lagging'>,
  chosen: PayMethod,
): PayMethod[] {
  const behind = new Set(lagging.map(({ network }) => network));
  if (!behind.has(chosen.network)) return [];
  const networks = new Set(methods.map(({ network }) => network).filter((network) => !behind.has(network)));
  return [...networks].flatMap((network) => switchedMethod(methods, chosen, { network }) ?? []);
}

/** Differs exactly when the page has something else to show: everything but the time of asking. */
export const fingerprint = ({ server_time: _, ...rest }: PublicStatus): string => JSON.stringify(rest);
