// What came to an address and stayed: what it sends away in the same transaction takes from what came in there first.

import type { ChainTransfer } from './chain';

export const arrivals = (all: readonly ChainTransfer[], address: string): ChainTransfer[] =>
  all
    .filter(({ recipient }) => recipient === address)
    .map((one) => ({ ...one, amount: one.amount - returnedOf(all, one) }))
    .filter(({ amount }) => amount > 0n);

function returnedOf(all: readonly ChainTransfer[], { hash, token, recipient, ordinal }: ChainTransfer): bigint {
  const own = all.filter((one) => one.hash === hash && one.token === token);
  let returned = own.filter(({ payer }) => payer === recipient).reduce((sum, { amount }) => sum + amount, 0n);
  for (const one of own.filter((other) => other.recipient === recipient)) {
    const taken = returned < one.amount ? returned : one.amount;
    if (one.ordinal === ordinal) return taken;
    returned -= taken;
  }
  return 0n;
}
