// Compares the product's session with the naive one. One sentence for each difference.

import { shownCents, waiting } from '@/simulation/oracles/naive';
import type { Model } from './model';

export function differences(model: Model): string[] {
  const { product, refunds, naive, ledger, now, windowDays } = model;
  const faults: string[] = [];
  const compare = (what: string, real: unknown, expected: unknown, about = ''): void => {
    if (real !== expected) faults.push(`${what}${about} ${String(real)}, and should be ${String(expected)}`);
  };
  compare('the session is', product.status, naive.status);
  compare('the cents received are', product.received, shownCents(naive.receivedCents()));
  compare('the exception of the session is', product.exception, naive.exception());
  const at = { now, windowDays };
  compare('the cents that can be refunded are', refunds.refundable(at), ledger.refundable(at));
  for (const [index, { transfer, exception }] of product.stored.entries()) {
    const row = naive.rows[index]!;
    compare('what the exception is, of payment ', exception?.kind ?? null, row.kind, transfer.id);
    compare('what the decision is, of payment ', exception?.state ?? null, row.state, transfer.id);
    if (exception === null || exception.state === 'kept' || exception.state === 'refund') continue;
    compare('what waits of payment ', exception.amount - exception.counted, waiting(row), transfer.id);
  }
  const [real, expected] = [product.book.balances, ledger.balances()];
  for (const [account, amount] of real) compare('the balance of ', amount, expected.get(account) ?? 0n, account);
  for (const [account, amount] of expected) if (!real.has(account)) compare('the balance of ', 0n, amount, account);
  return faults;
}
