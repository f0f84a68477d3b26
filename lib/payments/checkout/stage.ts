// The stage that the hosted page shows, derived from the view alone. Pure, so that every stage can be tested. The client part imports
// only `fingerprint`.

import type { CheckoutView, PayMethod, PublicStatus } from './view';

/**
 * `pay`: a payment is awaited. `confirming`: the whole price was seen. `checking`: expired, but the networks are not read that far
 * yet. `unavailable`: a payment is awaited, but no network can be offered. The others are terminal states of the session.
 */
export type Stage = 'pay' | 'confirming' | 'checking' | 'unavailable' | 'paid' | 'expired' | 'canceled' | 'failed';

/** The stage of a view. */
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

/** Whether a URL parameter can be a method name. `proxy.ts` keeps it in a cookie for all payments. */
export const isMethodName = (text: string | null): text is string =>
  /^[a-z][a-z0-9]{1,15}-[A-Z]{3,5}$/.test(text ?? '');

/** The name of a method in the page's URL: `bsc-USDT`. */
export const methodName = ({ network, currency }: Pick<PayMethod, 'network' | 'currency'>): string =>
  `${network}-${currency}`;

/**
 * The method requested in the URL; else the one of a partial payment, since the rest most likely comes from the same wallet; else the
 * one of the last payment; else one on the cheapest network; else the first. Null when there is none.
 */
export function chosenMethod(
  { methods, seen }: Pick<CheckoutView, 'methods' | 'seen'>,
  requested: string | undefined,
  remembered?: string,
  cheapest: string | null = null,
): PayMethod | null {
  const named = (name: string | undefined) => methods.find((method) => methodName(method) === name);
  const onNetwork = (name: string | null) => methods.find(({ network }) => network === name);
  return named(requested) ?? named(paidWith(seen)) ?? named(remembered) ?? onNetwork(cheapest) ?? methods[0] ?? null;
}

/** The method of the last part that counts; undefined when there is none. */
function paidWith(seen: CheckoutView['seen']): string | undefined {
  const paid = seen.findLast(({ verdict }) => verdict === 'counts');
  return paid && methodName(paid);
}

/** The method after a switch of network or currency. The other half stays the same where that is offered. */
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

/** Alternatives while the network of the chosen method cannot be read: one method on each readable network. */
export function readableInstead(
  { methods, lagging }: Pick<CheckoutView, 'methods' | 'lagging'>,
  chosen: PayMethod,
): PayMethod[] {
  const behind = new Set(lagging.map(({ network }) => network));
  if (!behind.has(chosen.network)) return [];
  const networks = new Set(methods.map(({ network }) => network).filter((network) => !behind.has(network)));
  return [...networks].flatMap((network) => switchedMethod(methods, chosen, { network }) ?? []);
}

/** Changes exactly when the page has to redraw: covers everything except the server time. */
export const fingerprint = ({ server_time: _, ...rest }: PublicStatus): string => JSON.stringify(rest);
